import Foundation
import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetCurl
@testable import FreshetLoop

/// Tests uploads that wait until an HTTP/2 server opens its window.
final class HTTP2WaitingUploadTests: TransportTestCase {
    /// Counts the turns of a loop during 300 ms.
    private func turns(of loop: Loop) -> Int {
        let count = Locked(0)
        let done = DispatchSemaphore(value: 0)
        loop.execute {
            let phase = LoopPhase(.beforeWait, of: loop.raw, loop.adoption) { count.withLock { $0 += 1 } }
            phase.start()
            let timer = LoopTimer(on: loop) {}
            timer.onFire {
                phase.close()
                timer.close()
                done.signal()
            }
            timer.start(after: .milliseconds(300))
        }
        XCTAssertEqual(done.wait(timeout: .now() + 30), .success, "the loop is blocked")
        return count.withLock { $0 }
    }

    func testTheLoopSleepsWhileAnUploadWaitsForAWindow() throws {
        let opens = DispatchSemaphore(value: 0)
        let body = [UInt8](repeating: 7, count: 300_000)
        let server = try HTTP2Server(initialWindow: 1000) { received in
            let more = [received.stream, 0].map {
                HTTP2Server.Action.frame(8, stream: $0, HTTP2Server.Action.bytes(300_000))
            }
            return [.wait(opens)] + more + [.head(received.stream), .data(received.stream, "well", ends: true)]
        }
        defer { server.stop() }
        let transport = transport { $0.tls.caFile = server.caFile }
        defer { transport.shutdown() }
        var request = try Request(.post, server.url + "/")
        request.body = .bytes(body)
        let outcome = Locked(Outcome())
        let done = DispatchSemaphore(value: 0)
        let subscription = transport.parts(request).subscribe { event in
            outcome.withLock { $0.record(event) }
            if event.isStopEvent { done.signal() }
        }
        defer { subscription.dispose() }
        waitUntil("the request has come") { server.requestCount == 1 }
        // libcurl 7.88 asks to write all the time, and only a workaround prevents that the loop turns thousands of times.
        if !Quirks.areOff { XCTAssertLessThan(turns(of: loop), 200) }
        opens.signal()
        XCTAssertEqual(done.wait(timeout: .now() + 30), .success, "the upload does not go on")
        XCTAssertEqual(outcome.withLock { $0.text }, "well")
    }
}
