import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests compressed bodies with the transfer coding `identity`, whose end only their length gives.
final class IdentityCodingTests: FaultTestCase {
    private let ok = "HTTP/1.1 200 OK\r\n"

    func testACompressedBodyWithTheTransferCodingIdentityEndsWithItsLength() throws {
        let text = String(repeating: "fresh ", count: 40_000)
        for (coding, body) in [
            ("gzip", Encoded.gzip(Array("hello".utf8))), ("gzip", Encoded.gzip(Array(text.utf8))),
            ("deflate", Encoded.zlib(Array("hello".utf8))), ("br", Encoded.brotli(Array("hello".utf8))),
            ("zstd", Encoded.zstd(Array("hello".utf8))), ("gzip", []),
        ] {
            let head = ok + "Transfer-Encoding: identity\r\nContent-Encoding: \(coding)\r\nContent-Length: "
            let response = ScriptedResponse.raw(Array((head + "\(body.count)\r\n\r\n").utf8) + body, then: .stay)
            // The version of libcurl decides whether the connection is kept.
            let outcome = try hit(by: response, nil, coding, isReused: nil)
            XCTAssertEqual(outcome.text, body.isEmpty ? "" : body.count > 1000 ? text : "hello", coding)
            guard !body.isEmpty else { continue }
            let short = ScriptedResponse.raw(
                Array((head + "\(body.count - 1)\r\n\r\n").utf8) + body.dropLast(), then: .stay)
            if coding == "gzip" { try hit(by: short, .decoding, .decoding, isReused: nil, "short \(coding)") }
            let cut = ScriptedResponse.raw(
                Array((head + "\(body.count + 5)\r\n\r\n").utf8) + body, then: .close)
            try hit(by: cut, .connectionLost, coding)
        }
    }

    func testAPausedCompressedBodyWithTheTransferCodingIdentityLosesNothing() throws {
        let text = String(repeating: "fresh ", count: 100_000)
        let body = Encoded.gzip(Array(text.utf8))
        let head = ok + "Transfer-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        server.enqueue(.raw(Array(head.utf8) + body, then: .stay))
        var request = try Request(.get, server.url + "/")
        var options = TransferOptions()
        options.idleTimeout = .seconds(5)
        request.transfer = options
        let sent = request
        let got = Locked(Outcome())
        let held = expectation(description: "held")
        let ended = expectation(description: "ended")
        let subscription = SerialDisposable()
        let transport = transport()
        loop.execute {
            subscription.disposable = transport.parts(sent).subscribe { event in
                let isFirst = got.withLock { got in
                    defer { got.record(event) }
                    return got.body.isEmpty
                }
                if case .next(.body) = event, isFirst {
                    subscription.pause()
                    held.fulfill()
                }
                if event.isStopEvent { ended.fulfill() }
            }
        }
        wait(for: [held], timeout: 10)
        // Everything that is on its way arrives meanwhile.
        let timer = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(200)) {
            subscription.resume()
            return Disposables.create()
        }
        wait(for: [ended], timeout: 10)
        timer.dispose()
        subscription.dispose()
        XCTAssertNil(got.withLock { $0.error })
        XCTAssertEqual(got.withLock { $0.text.count }, text.count)
        transport.shutdown()
    }
}
