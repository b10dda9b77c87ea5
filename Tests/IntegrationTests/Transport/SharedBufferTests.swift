import Foundation
import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Transfers that read into one buffer.
final class SharedBufferTests: TransportOnScriptedServerTestCase {
    private func body(_ size: Int, _ seed: UInt8) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: $0 / 5) ^ seed }
    }

    private func send(_ requests: [Request]) throws -> [Response] {
        let client = HTTPClient(transport: transport(), scheduler: LoopScheduler(loop))
        let responses = Locked<[Response]>([])
        let group = DispatchGroup()
        for request in requests {
            group.enter()
            _ = client.send(request).subscribe { result in
                if let response = try? result.get() { responses.withLock { $0.append(response) } }
                group.leave()
            }
        }
        XCTAssertEqual(group.wait(timeout: .now() + 30), .success)
        return responses.withLock { $0 }
    }

    func testTheLibcurlThatWasLookedAtIsKnownToAskForABuffer() throws {
        try XCTSkipUnless(CurlVersion.isExamined, "another libcurl than the one that was looked at")
        XCTAssertEqual(CurlMemory.sharesBuffers, !Sanitizer.isOn)
    }

    func testBodiesThatComeAtTheSameTimeStayApart() throws {
        let bodies = (0..<8).map { body(300_000, $0) }
        for body in bodies {
            let pieces = stride(from: 0, to: body.count, by: 7001).map { Array(body[$0..<min($0 + 7001, body.count)]) }
            server.enqueue(ScriptedAnswer(pieces: pieces))
        }
        let responses = try send(bodies.map { _ in try Request(.get, server.url + "/") })
        XCTAssertEqual(Set(responses.map(\.body)), Set(bodies))
    }

    /// The body of a request is copied, and so is the value of some header lines: asked for in the same number of bytes.
    func testWhatIsAsLargeAsTheBufferIsNotTakenForOne() throws {
        let sizes = [1024, 1025, 1026, 65_535, 65_536, 65_537, 65_538]
        let bodies = sizes.enumerated().flatMap { [body($1, UInt8($0)), body($1, UInt8($0 + 100))] }
        for _ in bodies { server.enqueue(ScriptedAnswer(body: "ok")) }
        let responses = try send(bodies.map { try Request(.post, server.url + "/", body: .bytes($0)) })
        XCTAssertEqual(responses.count, bodies.count)
        XCTAssertEqual(Set(server.requests.map(\.body)), Set(bodies))
        for size in sizes {
            let type = "text/" + String(repeating: "x", count: size - 6)
            server.enqueue(ScriptedAnswer(headers: [.contentType: type], body: "ok"))
            let response = try XCTUnwrap(send([Request(.get, server.url + "/")]).first)
            XCTAssertTrue(response.headers[.contentType] == type, "\(size)")
        }
    }

    /// How many transfers have the loop's buffer once answers to so many `requests` have begun, which do not end.
    private func holders(_ transport: CurlTransport, _ requests: Request...) -> Int {
        let begun = DispatchSemaphore(value: 0)
        let holders = Locked(0)
        let bag = DisposeBag()
        for request in requests {
            transport.send(request).subscribe { event in
                switch event {
                case .next(.head), .error, .completed: begun.signal()
                default: break
                }
            }.disposed(by: bag)
        }
        for _ in requests { XCTAssertEqual(begun.wait(timeout: .now() + 30), .success) }
        loop.execute {
            holders.withLock { $0 = CurlMemory.bufferHolders }
            begun.signal()
        }
        XCTAssertEqual(begun.wait(timeout: .now() + 30), .success)
        return holders.withLock { $0 }
    }

    private func stay() {
        server.route { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", then: .silence) }
    }

    func testPlainTransfersHaveTheLoopsBufferAndGiveItBack() throws {
        try XCTSkipUnless(CurlVersion.isExamined, "another libcurl than the one that was looked at")
        stay()
        let request = try Request(.get, server.url + "/")
        var long = request
        long.transfer = TransferOptions()
        long.transfer?.isLongLived = true
        let transport = transport()
        XCTAssertEqual(holders(transport, request, long, request), Sanitizer.isOn ? 0 : 3)
        transport.shutdown()
        XCTAssertEqual(holders(transport), 0)
    }

    func testTransfersThroughProxiesHaveTheirOwn() throws {
        stay()
        let proxy = TestProxy(.socks5())
        defer { proxy.close() }
        let transport = transport { $0.proxy = .url("socks5h://127.0.0.1:\(proxy.port)") }
        XCTAssertEqual(holders(transport, try Request(.get, "http://a.test:\(RequestURL(server.url).port)/")), 0)
        transport.shutdown()
    }

    func testTransfersOverTLSHaveTheirOwn() throws {
        let listener = try SilentListener()
        defer { listener.close() }
        let transport = transport()
        var request = try Request(.get, "https://127.0.0.1:\(listener.port)/")
        request.transfer = TransferOptions()
        request.transfer?.version = .http1
        let subscription = transport.send(request).subscribe { _ in }
        let connection = listener.connection()
        XCTAssertEqual(holders(transport), 0)
        subscription.dispose()
        close(connection)
        transport.shutdown()
    }
}
