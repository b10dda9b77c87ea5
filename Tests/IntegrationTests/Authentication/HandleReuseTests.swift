import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// A handle of libcurl serves one transfer after another, or the next one has the address of the last.
final class HandleReuseTests: TransportOnScriptedServerTestCase {
    // Ktor 9540: the cancellation of a call that had ended hit the one that had got its handle.
    func testACancellationThatComesLateDoesNotHitTheTransferThatHasTheHandleNow() throws {
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
                    // From another thread, while the first ends: the loop hears of the second first, and then of this.
                    let isSaid = DispatchSemaphore(value: 0)
                    DispatchQueue.global().async {
                        loop?.execute(second)
                        first.dispose()
                        isSaid.signal()
                    }
                    isSaid.wait()
                }
            }
            wait(for: [ended], timeout: 30)
            XCTAssertEqual(text.withLock { $0 }, "/second\(round)")
        }
    }
}
