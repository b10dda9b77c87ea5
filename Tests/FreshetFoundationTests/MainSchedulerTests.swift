import FreshetCore
import FreshetFoundation
import XCTest

final class MainSchedulerTests: XCTestCase {
    func testWorkScheduledOnTheMainThreadRunsAtOnce() {
        XCTAssertTrue(Thread.isMainThread)
        MainScheduler.ensureExecutingOnScheduler()
        MainScheduler.ensureRunningOnMainThread(errorMessage: "not here")
        let log = Locked<[String]>([])
        record("main", in: log, on: MainScheduler.instance)
        record("concurrent", in: log, on: ConcurrentMainScheduler.instance)
        XCTAssertEqual(log.withLock { $0 }, ["main", "concurrent"])
    }

    func testWorkScheduledInsideWorkWaitsOnlyOnTheSerialMainScheduler() {
        let log = Locked<[String]>([])
        let done = expectation(description: "all ran")
        record("outer", in: log, on: MainScheduler.instance) {
            record("waits", in: log, on: MainScheduler.instance) { done.fulfill() }
            record("at once", in: log, on: ConcurrentMainScheduler.instance)
        }
        record("behind", in: log, on: MainScheduler.instance)
        XCTAssertEqual(log.withLock { $0 }, ["outer", "at once"])
        wait(for: [done], timeout: 30)
        let last = expectation(description: "idle again")
        record("last", in: log, on: MainScheduler.asyncInstance) { last.fulfill() }
        wait(for: [last], timeout: 30)
        XCTAssertEqual(log.withLock { $0 }, ["outer", "at once", "waits", "behind", "last"])
        record("idle", in: log, on: MainScheduler.instance)
        XCTAssertEqual(log.withLock { $0.last }, "idle")
    }

    func testWorkScheduledOnAnotherThreadRunsOnTheMainThread() {
        let log = Locked<[String]>([])
        let done = expectation(description: "all ran")
        done.expectedFulfillmentCount = 3
        let schedulers: [any SchedulerType] = [
            MainScheduler.instance, ConcurrentMainScheduler.instance, MainScheduler.asyncInstance,
        ]
        DispatchQueue.global().async {
            for scheduler in schedulers { record("ran", in: log, on: scheduler) { done.fulfill() } }
        }
        wait(for: [done], timeout: 30)
        XCTAssertEqual(log.withLock { $0 }, ["ran", "ran", "ran"])
    }

    func testTheMainSchedulerIsASerialDispatchQueueScheduler() {
        let scheduler: SerialDispatchQueueScheduler = MainScheduler.instance
        let done = expectation(description: "all turns")
        let turns = SerialDisposable()
        turns.disposable = scheduler.schedulePeriodic(1, startAfter: .zero, period: .milliseconds(1)) { count in
            XCTAssertTrue(Thread.isMainThread)
            if count == 3 {
                turns.dispose()
                done.fulfill()
            }
            return count + 1
        }
        wait(for: [done], timeout: 30)
    }
}

/// Schedules an entry with `name` in the log, and then calls `then`.
private func record(
    _ name: String, in log: Locked<[String]>, on scheduler: any SchedulerType,
    then: @escaping @Sendable () -> Void = {}
) {
    _ = scheduler.schedule(()) { _ in
        let thread = Thread.isMainThread ? "" : " elsewhere"
        log.withLock { $0.append(name + thread) }
        then()
        return Disposables.create()
    }
}
