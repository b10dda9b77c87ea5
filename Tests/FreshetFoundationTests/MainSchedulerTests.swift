import FreshetCore
import FreshetFoundation
import XCTest

final class MainSchedulerTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }

    // A queue releases its work after it has run it.
    override func tearDown() {
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while Resources.total != resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertEqual(Resources.total, resources)
    }

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

    func testAnObserverThatRunsTheRunLoopGetsTheNextEventAfterItsOwn() {
        let source = PublishSubject<Int>()
        let log = Locked<[String]>([])
        let done = expectation(description: "got the second")
        let subscription = SerialDisposable()
        subscription.disposable = source.observe(on: MainScheduler.instance).subscribe(onNext: { number in
            log.withLock { $0.append("begin \(number)") }
            if number == 1 {
                let turn = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    source.onNext(2)
                    DispatchQueue.main.async { turn.signal() }
                }
                while turn.wait(timeout: .now()) == .timedOut {
                    _ = RunLoop.main.run(mode: .default, before: .now + 0.01)
                }
            } else {
                done.fulfill()
            }
            log.withLock { $0.append("end \(number)") }
        })
        // The resume delivers the first event at once, outside of any work of the main queue.
        subscription.pause()
        source.onNext(1)
        subscription.resume()
        wait(for: [done], timeout: 30)
        XCTAssertEqual(log.withLock { $0 }, ["begin 1", "end 1", "begin 2", "end 2"])
        subscription.dispose()
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
