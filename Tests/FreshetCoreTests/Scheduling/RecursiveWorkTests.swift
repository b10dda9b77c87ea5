import FreshetCore
import FreshetTesting
import XCTest

final class RecursiveWorkTests: CoreTestCase {
    func testEachTurnIsScheduledWithTheStateOfThePreviousTurn() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Log<String>()
        _ = scheduler.scheduleRecursive(3) { count, recurse in
            log.append("\(count) at \(scheduler.clock)")
            if count > 0 { recurse(count - 1) }
        }
        scheduler.start()
        XCTAssertEqual(log.all, ["3 at 1", "2 at 2", "1 at 3", "0 at 4"])
    }

    func testATurnCanRecurMoreThanOnce() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Log<[Int]>()
        _ = scheduler.scheduleRecursive([Int]()) { path, recurse in
            log.append(path)
            if path.count < 2 {
                recurse(path + [0])
                recurse(path + [1])
            }
        }
        scheduler.start()
        XCTAssertEqual(log.all, [[], [0], [1], [0, 0], [0, 1], [1, 0], [1, 1]])
    }

    func testDisposingCancelsEveryTurnThatHasNotBegun() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Log<Int>()
        let work = scheduler.scheduleRecursive(1) { count, recurse in
            log.append(count)
            recurse(count + 1)
            recurse(count + 1)
        }
        scheduler.scheduleAt(2) { work.dispose() }
        scheduler.start()
        XCTAssertEqual(log.all, [1])
        XCTAssertEqual(scheduler.clock, 2)
    }

    func testATurnCanCancelTheRest() {
        let log = Log<Int>()
        let work = SerialDisposable()
        _ = CurrentThreadScheduler.instance.schedule(()) { _ in
            work.disposable = CurrentThreadScheduler.instance.scheduleRecursive(1) { count, recurse in
                log.append(count)
                if count == 3 { work.dispose() }
                recurse(count + 1)
            }
            return Disposables.create()
        }
        XCTAssertEqual(log.all, [1, 2, 3])
    }

    func testManyTurnsDoNotDeepenTheStack() {
        for scheduler in [ImmediateScheduler.instance, CurrentThreadScheduler.instance] as [any ImmediateSchedulerType]
        {
            onASmallStack {
                let last = Locked(0)
                _ = scheduler.scheduleRecursive(0) { count, recurse in
                    if count < 20_000 { recurse(count + 1) } else { last.withLock { $0 = count } }
                }
                XCTAssertEqual(last.withLock { $0 }, 20_000)
            }
        }
    }

    func testEveryTurnRunsWithinTheCallOfASynchronousScheduler() {
        let scheduler = RunReportingScheduler()
        let log = Log<Bool>()
        _ = scheduler.scheduleRecursive(0) { count, recurse in
            log.append(scheduler.isRunning)
            if count < 3 { recurse(count + 1) }
        }
        XCTAssertEqual(log.all, [true, true, true, true])
    }

    func testTimedWorkRecursAfterTheDelayThatItPasses() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Log<TestTime>()
        let work = scheduler.scheduleRecursive(1, dueTime: .seconds(10)) { count, recurse in
            log.append(scheduler.clock)
            recurse(count * 2, .seconds(count))
        }
        scheduler.scheduleAt(20) { work.dispose() }
        scheduler.start()
        XCTAssertEqual(log.all, [10, 11, 13, 17])
    }
}

/// Runs work within the call, and reports whether it runs.
private final class RunReportingScheduler: ImmediateSchedulerType {
    private let depth = Locked(0)

    var isRunning: Bool { depth.withLock { $0 > 0 } }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        depth.withLock { $0 += 1 }
        defer { depth.withLock { $0 -= 1 } }
        return action(state)
    }
}
