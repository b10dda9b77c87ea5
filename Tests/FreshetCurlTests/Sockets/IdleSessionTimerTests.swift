import FreshetCore
import FreshetLoop
import XCTest

@testable import FreshetCurl

final class SilenceTimerTests: XCTestCase {
    private static let span = Duration.milliseconds(1)
    private var loop: Loop!

    override func setUpWithError() throws {
        loop = try Loop(name: "test")
    }

    override func tearDown() {
        loop.shutdown()
        loop = nil
    }

    /// An idle session timer, and the number of its calls.
    // Unchecked, because it is used only on the loop.
    private final class Watched: @unchecked Sendable {
        private(set) var acts = 0
        private(set) var timer: IdleSessionTimer!
        private var fence: LoopTimer!
        private var reached: () -> Void = {}

        /// - Parameter act: gets the number of calls so far, and returns whether a session may still be idle.
        init(on loop: Loop, act: @escaping (Int) -> Bool) {
            timer = IdleSessionTimer(on: loop, span: span) { [unowned self] in
                acts += 1
                return act(acts)
            }
            fence = LoopTimer(on: loop) { [unowned self] in reached() }
        }

        /// Calls `reached` after everything that was scheduled for the same time before.
        func fence(_ reached: @escaping () -> Void) {
            self.reached = reached
            fence.start(after: span)
        }

        func close() {
            timer.close()
            fence.close()
        }
    }

    /// Runs `body` with a timer on the loop, and waits until `body` calls `done`.
    ///
    /// - Returns: the number of the timer's calls until then.
    private func acts(
        _ act: @escaping @Sendable (Int) -> Bool,
        _ body: @escaping @Sendable (Watched, _ done: @escaping @Sendable () -> Void) -> Void
    ) -> Int? {
        let isDone = expectation(description: "done")
        let watched = Locked<Watched?>(nil)
        _ = loop.executeAndWait { [loop] in
            let timer = Watched(on: loop!, act: act)
            watched.withLock { $0 = timer }
        }
        guard let timer = watched.withLock({ $0 }) else { return nil }
        let acts = Locked(0)
        loop.execute {
            body(timer) {
                acts.withLock { $0 = timer.acts }
                isDone.fulfill()
            }
        }
        wait(for: [isDone], timeout: 30)
        _ = loop.executeAndWait { timer.close() }
        return acts.withLock { $0 }
    }

    func testTheTimerFiresAgainWhileAnySessionMayBeIdle() {
        let acts = acts {
            $0 < 3
        } _: { watched, done in
            watched.timer.start()
            // The fence comes after as many rounds as the timer would run if it did not end.
            let third = { watched.fence(done) }
            let second = { watched.fence(third) }
            let first = { watched.fence(second) }
            watched.fence { watched.fence(first) }
        }
        XCTAssertEqual(acts, 3)
    }

    func testARestartedTimerIsNotPostponed() {
        let acts = acts { _ in
            false
        } _: { watched, done in
            watched.timer.start()
            watched.fence(done)
            watched.timer.start()
        }
        XCTAssertEqual(acts, 1)
    }

    func testAnEndedTimerCanBeStartedAgain() {
        let acts = acts { _ in
            false
        } _: { watched, done in
            watched.timer.start()
            watched.fence {
                watched.timer.start()
                watched.fence(done)
            }
        }
        XCTAssertEqual(acts, 2)
    }

    func testAClosedTimerDoesNotFire() {
        let acts = acts { _ in
            true
        } _: { watched, done in
            watched.timer.start()
            watched.timer.close()
            watched.fence(done)
        }
        XCTAssertEqual(acts, 0)
    }
}
