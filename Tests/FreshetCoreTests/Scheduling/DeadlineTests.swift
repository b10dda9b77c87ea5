import FreshetCore
import FreshetTesting
import XCTest

/// Tests deadlines on a scheduler that has none of its own.
final class DeadlineTests: CoreTestCase {
    private final class Target: DeadlineTarget {
        let log: Log<String>

        init(_ log: Log<String>) {
            self.log = log
        }

        deinit { log.append("released") }

        func deadlineReached() { log.append("reached") }
    }

    private let scheduler = TestScheduler(initialClock: 0)
    private let log = Log<String>()

    private func set(after span: Duration) -> Deadline {
        scheduler.setDeadline(after: span, from: scheduler.now, for: Target(log))
    }

    func testADeadlineCallsItsTargetOnceAndReleasesIt() {
        let deadline = set(after: .seconds(5))
        scheduler.advanceTo(4)
        XCTAssertEqual(log.all, [])
        scheduler.advanceTo(20)
        XCTAssertEqual(log.all, ["reached", "released"])
        scheduler.cancel(deadline)
        XCTAssertEqual(log.all, ["reached", "released"])
    }

    func testACanceledDeadlineDoesNotCallItsTarget() {
        let deadline = set(after: .seconds(5))
        scheduler.cancel(deadline)
        scheduler.advanceTo(20)
        XCTAssertEqual(log.all, ["released"])
    }
}
