import FreshetCore
import FreshetLoop
import XCTest

@testable import FreshetCurl

final class PeriodicCheckTests: XCTestCase {
    private static let span = Duration.milliseconds(1)
    private var loop: Loop!

    override func setUpWithError() throws {
        loop = try Loop(name: "test")
    }

    override func tearDown() {
        loop.shutdown()
        loop = nil
    }

    /// A check, and the number of its calls.
    // Unchecked, because it is used only on the loop.
    private final class TimerFixture: @unchecked Sendable {
        private(set) var firings = 0
        private(set) var timer: PeriodicCheck!
        private var fence: LoopTimer!
        private var reached: () -> Void = {}

        /// - Parameter onFire: gets the number of calls so far, and returns whether there may be more to act on.
        init(on loop: Loop, onFire: @escaping (Int) -> Bool) {
            timer = PeriodicCheck(on: loop, every: span) { [unowned self] in
                firings += 1
                return onFire(firings)
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
    private func firings(
        _ onFire: @escaping @Sendable (Int) -> Bool,
        _ body: @escaping @Sendable (TimerFixture, _ done: @escaping @Sendable () -> Void) -> Void
    ) -> Int? {
        let isDone = expectation(description: "done")
        let fixture = Locked<TimerFixture?>(nil)
        _ = loop.executeAndWait { [loop] in
            let timer = TimerFixture(on: loop!, onFire: onFire)
            fixture.withLock { $0 = timer }
        }
        guard let timer = fixture.withLock({ $0 }) else { return nil }
        let firings = Locked(0)
        loop.execute {
            body(timer) {
                firings.withLock { $0 = timer.firings }
                isDone.fulfill()
            }
        }
        wait(for: [isDone], timeout: 30)
        _ = loop.executeAndWait { timer.close() }
        return firings.withLock { $0 }
    }

    func testTheTimerFiresAgainWhileAnySessionMayBeIdle() {
        let firings = firings {
            $0 < 3
        } _: { fixture, done in
            fixture.timer.start()
            // The fence comes after as many rounds as the timer would run if it did not end.
            let third = { fixture.fence(done) }
            let second = { fixture.fence(third) }
            let first = { fixture.fence(second) }
            fixture.fence { fixture.fence(first) }
        }
        XCTAssertEqual(firings, 3)
    }

    func testARestartedTimerIsNotPostponed() {
        let firings = firings { _ in
            false
        } _: { fixture, done in
            fixture.timer.start()
            fixture.fence(done)
            fixture.timer.start()
        }
        XCTAssertEqual(firings, 1)
    }

    func testAnEndedTimerCanBeStartedAgain() {
        let firings = firings { _ in
            false
        } _: { fixture, done in
            fixture.timer.start()
            fixture.fence {
                fixture.timer.start()
                fixture.fence(done)
            }
        }
        XCTAssertEqual(firings, 2)
    }

    func testAClosedTimerDoesNotFire() {
        let firings = firings { _ in
            true
        } _: { fixture, done in
            fixture.timer.start()
            fixture.timer.close()
            fixture.fence(done)
        }
        XCTAssertEqual(firings, 0)
    }
}
