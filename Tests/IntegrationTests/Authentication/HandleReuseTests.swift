import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests handles of libcurl that serve one transfer after another, or whose address a later handle has.
final class HandleReuseTests: TransportOnScriptedServerTestCase {
    // Ktor 9540: the cancellation of a call that had ended cancelled the next call with the same handle.
    func testALateCancellationDoesNotAffectTheTransferThatReusesTheHandle() throws {
        let transport = transport()
        server.route { request in ScriptedResponse(body: request.path) }
        for round in 0..<50 {
            let first = SerialDisposable()
            let ended = expectation(description: "the second of round \(round)")
            let text = Locked("")
            let requests = try ["first", "second"].map { try Request(.get, "\(server.url)/\($0)\(round)") }
            let second: @Sendable () -> Void = {
                _ = transport.parts(requests[1]).subscribe { event in
                    if case .next(.body(let bytes)) = event {
                        text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
                    }
                    if event.isStopEvent { ended.fulfill() }
                }
            }
            loop.execute { [loop] in
                first.disposable = transport.parts(requests[0]).subscribe { event in
                    guard case .next(.body) = event else { return }
                    // Another thread cancels the first transfer while it ends. The loop receives the second transfer before
                    // this cancellation.
                    let isCancelled = DispatchSemaphore(value: 0)
                    DispatchQueue.global().async {
                        loop?.execute(second)
                        first.dispose()
                        isCancelled.signal()
                    }
                    isCancelled.wait()
                }
            }
            wait(for: [ended], timeout: 30)
            XCTAssertEqual(text.withLock { $0 }, "/second\(round)")
        }
    }
}
