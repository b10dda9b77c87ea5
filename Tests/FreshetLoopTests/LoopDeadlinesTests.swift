import FreshetCore
import XCTest

@testable import FreshetLoop

final class LoopDeadlinesTests: LoopTestCase {
    /// Logs when it was reached.
    private final class Target: DeadlineTarget, @unchecked Sendable {
        let name: Int
        private let log: Log
        private let reached: @Sendable () -> Void

        init(_ name: Int, _ log: Log, reached: @escaping @Sendable () -> Void = {}) {
            self.name = name
            self.log = log
            self.reached = reached
        }

        func deadlineReached() {
            log.add(name)
            reached()
        }
    }

    private final class Log: @unchecked Sendable {
        private let lock = NSLock()
        private var stored: [Int] = []

        var names: [Int] { lock.withLock { stored } }
        func add(_ name: Int) { lock.withLock { stored.append(name) } }
    }

    private let log = Log()

    private var scheduler: LoopScheduler { LoopScheduler(loop) }

    /// Sets a deadline from this thread, which is not the loop's.
    @discardableResult
    private func set(
        after span: Duration, _ name: Int, then: @escaping @Sendable () -> Void = {}
    ) -> Deadline {
        scheduler.setDeadline(after: span, from: scheduler.now, for: Target(name, log, reached: then))
    }

    /// Sets the deadlines in this order, all from the same instant, however busy the machine is.
    @discardableResult
    private func setAtOnce(_ deadlines: [(span: Duration, name: Int)]) -> [LoopDeadlines.Number] {
        onLoop { [loop = loop!, log] in
            let now = loop.now
            return deadlines.map { span, name in
                loop.deadlines.set(at: now.advanced(by: span), from: now, for: Target(name, log))
            }
        }
    }

    /// Waits for a deadline after `span`. The deadlines that are due by then have been reached before.
    private func wait(_ span: Duration) {
        awaiting { done in set(after: span, -1) { done(()) } }
    }

    func testDeadlinesAreReachedInOrderOfTime() {
        setAtOnce([(.milliseconds(30), 3), (.milliseconds(10), 1), (.milliseconds(20), 2)])
        wait(.milliseconds(50))
        XCTAssertEqual(log.names, [1, 2, 3, -1])
    }

    func testDeadlinesOfTheSameInstantAreReachedInTheOrderOfSetting() {
        setAtOnce((0..<5).map { (.milliseconds(5), $0) })
        wait(.milliseconds(20))
        XCTAssertEqual(log.names, [0, 1, 2, 3, 4, -1])
    }

    func testACancelledDeadlineIsNotReached() {
        let first = set(after: .milliseconds(500), 1)
        let middle = set(after: .milliseconds(501), 2)
        set(after: .milliseconds(502), 3)
        let last = set(after: .milliseconds(503), 4)
        for ticket in [middle, last, first, middle] { scheduler.cancel(ticket) }
        wait(.milliseconds(550))
        XCTAssertEqual(log.names, [3, -1])
    }

    func testADeadlineCancelsAnotherOfTheSameInstant() {
        let now = loop.now
        let due = now.advanced(by: .milliseconds(10))
        let second = Box<LoopDeadlines.Number>(0)
        onLoop { [loop = loop!, log] in
            _ = loop.deadlines.set(at: due, from: now, for: Target(1, log) { loop.deadlines.cancel(second.value!) })
            second.value = loop.deadlines.set(at: due, from: now, for: Target(2, log))
        }
        wait(.milliseconds(30))
        second.value = nil
        XCTAssertEqual(log.names, [1, -1])
    }

    func testADeadlineSetInsideADeadlineIsReached() {
        let loop = loop!
        let log = log
        awaiting { done in
            set(after: .milliseconds(2), 1) {
                let now = loop.now
                _ = loop.deadlines.set(
                    at: now.advanced(by: .milliseconds(2)), from: now, for: Target(2, log) { done(()) })
            }
        }
        XCTAssertEqual(log.names, [1, 2])
    }

    func testDeadlinesBeyondTheLinesAreReachedInOrderOfTime() {
        // Each deadline is earlier than all before it. Each of the first needs a line of its own, and the timeline keeps the
        // rest.
        setAtOnce((1...20).reversed().map { (.milliseconds(10 + 2 * $0), $0) })
        wait(.milliseconds(90))
        XCTAssertEqual(log.names, Array(1...20) + [-1])
    }

    func testDeadlinesOfTheTimelineAreCancelled() {
        let tickets = (1...20).reversed().map { set(after: .milliseconds(500 + 2 * $0), $0) }
        for ticket in tickets { scheduler.cancel(ticket) }
        wait(.milliseconds(600))
        XCTAssertEqual(log.names, [-1])
    }

    func testDeadlinesOfTheSameDurationShareAFewTicks() {
        let start = loop.now
        let ticks = (0..<10_000).map { index in
            let now = start.advanced(by: .microseconds(100 * index))
            return now.advanced(by: .seconds(60)).onTick(from: now)
        }
        XCTAssertLessThanOrEqual(Set(ticks).count, 3)
        for (index, tick) in ticks.enumerated() {
            let exact = start.advanced(by: .microseconds(100 * index) + .seconds(60))
            XCTAssertGreaterThanOrEqual(tick, exact)
            XCTAssertLessThan(tick, exact.advanced(by: .seconds(60) / 64))
        }
    }

    func testAShortDurationIsNotRounded() {
        let now = loop.now
        for span in [Duration.zero, .nanoseconds(100), .nanoseconds(-1)] {
            let due = now.advanced(by: span)
            XCTAssertEqual(due.onTick(from: now), due)
        }
    }

    func testTheNumberOfACancelledDeadlineDoesNotCancelItsSuccessor() {
        onLoop { [loop = loop!, log] in
            let now = loop.now
            let due = now.advanced(by: .milliseconds(5))
            let first = loop.deadlines.set(at: due, from: now, for: Target(1, log))
            loop.deadlines.cancel(first)
            let second = loop.deadlines.set(at: due, from: now, for: Target(2, log))
            XCTAssertNotEqual(first, second)
            loop.deadlines.cancel(first)
            loop.deadlines.cancel(0)
        }
        wait(.milliseconds(20))
        XCTAssertEqual(log.names, [2, -1])
    }

    func testADeadlineOfAnotherThreadIsCancelledBeforeTheLoopReceivesIt() {
        let ticket = Box<Deadline>()
        let isBlocked = DispatchSemaphore(value: 0)
        let mayContinue = DispatchSemaphore(value: 0)
        loop.execute { [scheduler] in
            isBlocked.signal()
            mayContinue.wait()
            scheduler.cancel(ticket.value!)
        }
        isBlocked.wait()
        ticket.value = set(after: .milliseconds(2), 1)
        mayContinue.signal()
        wait(.milliseconds(20))
        XCTAssertEqual(log.names, [-1])
    }

    func testManyDeadlinesAreSetAndCancelledByThreadsAtOnce() {
        let scheduler = scheduler
        let log = log
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for index in 0..<2000 {
                let isLeft = index % 500 == 0
                let span = Duration.milliseconds(isLeft ? 5 : 1000 + index % 7 * 100)
                let ticket = scheduler.setDeadline(
                    after: span, from: scheduler.now, for: Target(thread * 10_000 + index, log))
                if !isLeft { scheduler.cancel(ticket) }
            }
        }
        wait(.milliseconds(60))
        XCTAssertEqual(
            log.names.sorted(), [-1] + (0..<4).flatMap { thread in (0..<4).map { thread * 10_000 + $0 * 500 } })
    }

    func testTheLoopSetsNoTimerAfterItTrimsEmptyLines() {
        let due: Instant? = onLoop { [loop = loop!, log] in
            let now = loop.now
            let early = loop.deadlines.set(at: now.advanced(by: .seconds(10)), from: now, for: Target(1, log))
            let late = loop.deadlines.set(at: now.advanced(by: .seconds(60)), from: now, for: Target(2, log))
            loop.deadlines.cancel(early)
            loop.deadlines.cancel(late)
            loop.deadlines.trim()
            return loop.timers.nextDue
        }
        XCTAssertNil(due)
        wait(.milliseconds(2))
        XCTAssertEqual(log.names, [-1])
    }

    func testTrimmingKeepsWaitingDeadlines() {
        awaiting { done in
            let log = log
            loop.execute { [loop = loop!] in
                let now = loop.now
                let early = loop.deadlines.set(at: now.advanced(by: .milliseconds(10)), from: now, for: Target(1, log))
                _ = loop.deadlines.set(
                    at: now.advanced(by: .milliseconds(30)), from: now, for: Target(2, log) { done(()) })
                loop.deadlines.cancel(early)
                loop.deadlines.trim()
            }
        }
        XCTAssertEqual(log.names, [2])
    }

    func testAShutdownReleasesWaitingDeadlinesUnreached() {
        weak var target: Target?
        var tickets: [Deadline] = []
        do {
            let new = Target(1, log)
            target = new
            tickets = (1...3).map { scheduler.setDeadline(after: .seconds($0), from: scheduler.now, for: new) }
        }
        XCTAssertNotNil(target)
        loop.shutdown()
        XCTAssertNil(target)
        for ticket in tickets { scheduler.cancel(ticket) }
        XCTAssertEqual(log.names, [])
    }
}
