import Foundation
import FreshetCore
import FreshetCurl
import FreshetHTTP
import FreshetHTTPTesting
import FreshetLoop
import HTTPTypes
import XCTest

/// Tests requests that other threads submit to the loop.
final class TransportHandoverTests: TransportOnScriptedServerTestCase {
    private func client() -> HTTPClient {
        HTTPClient(transport: transport(), scheduler: LoopScheduler(loop))
    }

    /// Runs `work` while the loop is in the middle of a timer's callback.
    private func whileTheLoopIsHeld(_ work: () -> Void) {
        let isHeld = DispatchSemaphore(value: 0)
        let mayContinue = DispatchSemaphore(value: 0)
        _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(1)) { _ in
            isHeld.signal()
            mayContinue.wait()
            return Disposables.create()
        }
        isHeld.wait()
        work()
        mayContinue.signal()
    }

    func testABurstOfRequestsFromAThreadCausesOneWakeUp() throws {
        server.route(.get, "/") { _ in ScriptedResponse(body: "here") }
        let client = client()
        let bodies = Locked<[String]>([])
        let done = DispatchSemaphore(value: 0)
        let bag = DisposeBag()
        whileTheLoopIsHeld {
            let before = loop.wakeUps
            for _ in 0..<50 {
                client.get(server.url + "/").subscribe { result in
                    bodies.withLock { $0.append((try? result.get().text) ?? "no response") }
                    done.signal()
                }.disposed(by: bag)
            }
            XCTAssertEqual(loop.wakeUps - before, 1)
        }
        for _ in 0..<50 { XCTAssertEqual(done.wait(timeout: .now() + 20), .success) }
        XCTAssertEqual(bodies.withLock { $0 }, Array(repeating: "here", count: 50))
    }

    func testABurstThatIsCancelledBeforeTheLoopRunsIsNotSent() throws {
        server.route(.get, "/") { _ in ScriptedResponse(body: "here") }
        let client = client()
        let url = server.url + "/"
        whileTheLoopIsHeld {
            for _ in 0..<20 { client.get(url).subscribe { _ in XCTFail("an answer to nobody") }.dispose() }
        }
        let done = DispatchSemaphore(value: 0)
        let last = client.get(url).subscribe { _ in done.signal() }
        XCTAssertEqual(done.wait(timeout: .now() + 20), .success)
        last.dispose()
        XCTAssertEqual(server.requests.count, 1)
    }

    func testEveryRequestOfABurstEndsDuringAShutdown() throws {
        server.route(.get, "/") { _ in ScriptedResponse(body: "here") }
        let loop = try Loop(name: "short")
        let transport = CurlTransport(loop: loop)
        let client = HTTPClient(transport: transport, scheduler: LoopScheduler(loop))
        let ends = Locked(0)
        let done = DispatchSemaphore(value: 0)
        let bag = DisposeBag()
        let url = server.url + "/"
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            if thread == 3 { return loop.shutdown() }
            for _ in 0..<100 {
                client.get(url).subscribe { _ in
                    ends.withLock { $0 += 1 }
                    done.signal()
                }.disposed(by: bag)
            }
        }
        for _ in 0..<300 { XCTAssertEqual(done.wait(timeout: .now() + 20), .success) }
        XCTAssertEqual(ends.withLock { $0 }, 300)
    }

    func testATaskOnTheLoopSendsWithoutAWakeUp() async throws {
        server.route(.get, "/") { _ in ScriptedResponse(body: "here") }
        let client = client()
        let url = server.url + "/"
        let loop = loop!
        let (texts, wakeUps) = try await withTaskExecutorPreference(loop.taskExecutor) {
            let before = loop.wakeUps
            var texts: [String] = []
            for _ in 0..<5 { texts.append(try await client.get(url).value.text) }
            return (texts, loop.wakeUps - before)
        }
        XCTAssertEqual(texts, Array(repeating: "here", count: 5))
        XCTAssertEqual(wakeUps, 0)
    }
}
