import Dispatch
import FreshetCore
import FreshetTesting
import XCTest

final class SerialSchedulerTests: CoreTestCase {
    func testWorkRunsSeriallyInTheOrderOfArrival() {
        let threads = ThreadScheduler()
        let scheduler = SerialScheduler(over: threads)
        let log = Log<Int>()
        let overlaps = Counter()
        let done = XCTestExpectation()
        done.expectedFulfillmentCount = 400
        let isBusy = Counter()
        onThreads(4) { thread in
            for number in 0..<100 {
                _ = scheduler.schedule(()) { _ in
                    if isBusy.increment() % 2 == 0 { overlaps.increment() }
                    log.append(thread * 100 + number)
                    if isBusy.increment() % 2 == 1 { overlaps.increment() }
                    done.fulfill()
                    return Disposables.create()
                }
            }
        }
        wait(for: [done], timeout: 30)
        // The test also waits until every thread has released its work.
        threads.group.wait()
        XCTAssertEqual(overlaps.value, 0)
        for thread in 0..<4 {
            XCTAssertEqual(log.all.filter { $0 / 100 == thread }, Array(thread * 100..<thread * 100 + 100))
        }
    }

    func testWorkThatSchedulesWorkDoesNotNest() {
        let scheduler = SerialScheduler(over: TestScheduler(initialClock: 0))
        XCTAssertEqual(scheduler.now, Instant(sinceStart: .zero))
        let virtual = TestScheduler(initialClock: 0)
        let serial = SerialScheduler(over: virtual)
        let log = Log<String>()
        _ = serial.schedule(()) { _ in
            _ = serial.schedule(()) { _ in
                log.append("inner")
                return Disposables.create()
            }
            log.append("outer")
            return Disposables.create()
        }
        let cancelled = serial.schedule(()) { _ in
            log.append("never")
            return Disposables.create()
        }
        cancelled.dispose()
        virtual.start()
        XCTAssertEqual(log.all, ["outer", "inner"])
    }

    func testDelayedWorkIsQueuedWhenItIsDue() {
        let virtual = TestScheduler(initialClock: 0)
        let serial = SerialScheduler(over: virtual)
        let log = Log<Int>()
        let disposed = serial.scheduleRelative((), dueTime: .seconds(5)) { _ in
            log.append(-1)
            return Disposables.create()
        }
        _ = serial.scheduleRelative((), dueTime: .seconds(10)) { _ in
            log.append(virtual.clock)
            return Disposables.create()
        }
        disposed.dispose()
        virtual.start()
        XCTAssertEqual(log.all, [11])
    }

    func testTheStackStaysFlatOnASchedulerThatRunsWorkWithinTheCall() {
        let count = Counter()
        onASmallStack {
            let serial = SerialScheduler(over: Immediate())
            _ = Observable.from(Array(0..<100_000), scheduler: serial).subscribe(onNext: { _ in count.increment() })
        }
        XCTAssertEqual(count.value, 100_000)
    }

    func testTheStackStaysFlatWhenTransactionsEndWithinTheCall() {
        let count = Counter()
        onASmallStack {
            let serial = SerialScheduler(over: Immediate())
            let transaction = serial.run { Single.just(1) }
            _ = serial.schedule(()) { _ in
                for _ in 0..<100_000 { _ = transaction.subscribe(onSuccess: { _ in count.increment() }) }
                return Disposables.create()
            }
        }
        XCTAssertEqual(count.value, 100_000)
    }

    /// The work can hold the lock of a file, for example.
    func testWorkIsReleasedWhenTheUnderlyingSchedulerHasEnded() {
        struct Ended: SchedulerType {
            var now: Instant { Instant(sinceStart: .zero) }

            func schedule<StateType: Sendable>(
                _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
            ) -> any Disposable { Disposables.create() }

            func scheduleRelative<StateType: Sendable>(
                _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
            ) -> any Disposable { Disposables.create() }
        }
        let scheduler = SerialScheduler(over: Ended())
        for _ in 0..<2 {
            let held = Counter()
            weak let weakly = held
            _ = scheduler.schedule(held) { held in
                held.increment()
                return Disposables.create()
            }
            XCTAssertEqual(held.value, 0)
            _ = consume held
            XCTAssertNil(weakly)
        }
    }

    func testPeriodicWorkSkipsTheTurnsThatItHasMissed() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let times = Log<Int>()
        let work = SerialScheduler(over: scheduler).schedulePeriodic(
            0, startAfter: .seconds(10), period: .seconds(10)
        ) { number in
            times.append(scheduler.clock)
            if number == 1 { scheduler.sleep(35) }
            return number + 1
        }
        scheduler.advanceTo(80)
        XCTAssertEqual(times.all, [10, 20, 60, 70, 80])
        work.dispose()
    }
}

/// Runs each piece of work within the call that schedules it.
private struct Immediate: SchedulerType {
    var now: Instant { Instant(sinceStart: .zero) }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { action(state) }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { action(state) }
}

/// Runs each piece of work on any thread.
private struct ThreadScheduler: SchedulerType {
    let group = DispatchGroup()

    var now: Instant { Instant(sinceStart: .zero) }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        DispatchQueue.global().async(group: group) { _ = action(state) }
        return Disposables.create()
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        schedule(state, action: action)
    }
}
