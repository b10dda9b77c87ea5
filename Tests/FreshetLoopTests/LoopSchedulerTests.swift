import FreshetCore
import FreshetLoop
import XCTest

final class LoopSchedulerTests: LoopTestCase {
    private var scheduler: LoopScheduler { LoopScheduler(loop) }

    func testWorkScheduledOnTheLoopIsEnqueued() {
        let order = Box<[Int]>([])
        onLoop { [scheduler] in
            for number in 2...4 {
                _ = scheduler.schedule(number) { number in
                    order.update { $0.append(number) }
                    return Disposables.create()
                }
            }
            order.update { $0.append(1) }
        }
        onLoop {}
        XCTAssertEqual(order.value, [1, 2, 3, 4])
    }

    func testTimersFireInOrderOfTimeAndNotEarly() {
        let scheduler = scheduler
        let start = loop.now
        let fired: [Int] = awaiting { done in
            let order = Box<[Int]>([])
            // The delays differ by more than the time that it takes to set them.
            for delay in [300, 100, 200, 100] {
                _ = scheduler.scheduleRelative(delay, dueTime: .milliseconds(delay)) { delay in
                    XCTAssertGreaterThanOrEqual(start.duration(to: scheduler.now), .milliseconds(delay))
                    order.update { $0.append(delay) }
                    if order.value!.count == 4 { done(order.value!) }
                    return Disposables.create()
                }
            }
        }
        XCTAssertEqual(fired, [100, 100, 200, 300])
    }

    func testATimerCancelledFromAnotherThreadIsReleased() {
        weak var captured: Box<Int>?
        var timer: (any Disposable)?
        do {
            let object = Box<Int>()
            captured = object
            timer = scheduler.scheduleRelative((), dueTime: .seconds(3600)) { [object] _ in
                withExtendedLifetime(object) { Disposables.create() }
            }
        }
        XCTAssertNotNil(captured)
        timer?.dispose()
        timer = nil
        onLoop {}
        XCTAssertNil(captured)
    }

    func testDisposingOfFinishedWorkDisposesOfTheDisposableThatItReturned() {
        let returned = BooleanDisposable()
        let work = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in returned }
        let later: Bool = awaiting { done in
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(3)) { _ in
                done(true)
                return Disposables.create()
            }
        }
        XCTAssertTrue(later)
        XCTAssertFalse(returned.isDisposed)
        work.dispose()
        XCTAssertTrue(returned.isDisposed)
    }

    func testPeriodicWorkPassesItsStateAndStopsWhenItDisposesOfItself() {
        let timer = SerialDisposable()
        let seen: [Int] = awaiting { done in
            let states = Box<[Int]>([])
            timer.disposable = scheduler.schedulePeriodic(
                0, startAfter: .milliseconds(1), period: .milliseconds(2)
            ) { state in
                states.update { $0.append(state) }
                if state == 4 {
                    timer.dispose()
                    done(states.value!)
                }
                return state + 1
            }
        }
        onLoop {}
        XCTAssertEqual(seen, [0, 1, 2, 3, 4])
    }

    func testALateTurnOfPeriodicWorkDoesNotDelayTheNext() {
        var time = Duration.seconds(60)
        // The test takes the least of several times, because the machine may be busy.
        for _ in 0..<10 where time >= .milliseconds(1050) { time = min(time, timeOfTheSecondTurnAfterALateOne()) }
        XCTAssertGreaterThanOrEqual(time, .milliseconds(800))
        XCTAssertLessThan(time, .milliseconds(1050), "counted from the late one it would be 1100 ms")
    }

    /// The time of the second turn when turns are due every 400 ms, and the loop is blocked for the first 700 ms.
    private func timeOfTheSecondTurnAfterALateOne() -> Duration {
        let scheduler = scheduler
        let timer = SerialDisposable()
        let start = loop.now
        return awaiting { done in
            timer.disposable = scheduler.schedulePeriodic(
                1, startAfter: .milliseconds(400), period: .milliseconds(400)
            ) { number in
                if number == 2 {
                    timer.dispose()
                    done(start.duration(to: scheduler.now))
                }
                return number + 1
            }
            loop.execute { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.7) }
        }
    }

    func testTimersThatAreAlwaysDueDoNotBlockOtherWork() {
        let scheduler = scheduler
        let fired = Box<Int>(0)
        let timers = (0..<2).map { _ in
            scheduler.schedulePeriodic((), startAfter: .milliseconds(1), period: .milliseconds(1)) { _ in
                let end = scheduler.now.advanced(by: .microseconds(1500))
                while scheduler.now < end {}
                fired.update { $0 += 1 }
            }
        }
        defer { for timer in timers { timer.dispose() } }
        while fired.value! < 10 { sched_yield() }
        for _ in 0..<20 { onLoop {} }
    }

    func testAChainOfShortTimersDoesNotBlockOtherWork() {
        let scheduler = scheduler
        let isOver = Box<Bool>(false)
        let fired = Box<Int>(0)
        @Sendable func again() {
            if isOver.value == true { return }
            fired.update { $0 += 1 }
            _ = scheduler.scheduleRelative((), dueTime: .nanoseconds(1)) { _ in
                again()
                return Disposables.create()
            }
        }
        again()
        defer { isOver.value = true }
        while fired.value! < 100 { sched_yield() }
        for _ in 0..<20 { onLoop {} }
    }

    func testWorkScheduledAfterTheShutdownIsReleased() {
        let scheduler = scheduler
        loop.shutdown()
        let work = scheduler.schedule(()) { _ in Disposables.create() } as? any Cancelable
        XCTAssertEqual(work?.isDisposed, true)
        _ = scheduler.scheduleRelative((), dueTime: .seconds(1)) { _ in Disposables.create() }
        _ = scheduler.schedulePeriodic((), startAfter: .zero, period: .seconds(1)) { $0 }
    }

    func testATimerIsReleasedWhenTheLoopShutsDown() {
        weak var captured: Box<Int>?
        do {
            let object = Box<Int>()
            captured = object
            _ = scheduler.scheduleRelative((), dueTime: .seconds(3600)) { [object] _ in
                withExtendedLifetime(object) { Disposables.create() }
            }
        }
        loop.shutdown()
        XCTAssertNil(captured)
    }

    /// Each access to the work would wrap its function once more, and the release would overflow the stack.
    func testPeriodicWorkDoesNotGrowWithEachAccess() throws {
        let work = scheduler.schedulePeriodic((), startAfter: .seconds(1000), period: .seconds(1)) { $0 }
        let cancelable = try XCTUnwrap(work as? any Cancelable)
        for _ in 0..<200_000 { XCTAssertFalse(cancelable.isDisposed) }
        work.dispose()
        onLoop {}
    }
}

final class BlockingSchedulerTests: LoopTestCase {
    func testWorkRunsOffTheLoopWithoutBlockingIt() {
        let inside = DispatchSemaphore(value: 0)
        let outside = DispatchSemaphore(value: 0)
        let isOnLoop = Box<Bool>()
        _ = BlockingScheduler(on: loop).schedule(()) { [loop] _ in
            isOnLoop.value = loop!.isCurrent
            inside.signal()
            outside.wait()
            return Disposables.create()
        }
        XCTAssertEqual(inside.wait(timeout: .now() + 20), .success)
        onLoop {}
        outside.signal()
        XCTAssertEqual(isOnLoop.value, false)
    }

    func testShutdownWaitsForRunningWork() {
        let inside = DispatchSemaphore(value: 0)
        let isDone = Box<Bool>(false)
        _ = BlockingScheduler(on: loop).schedule(()) { _ in
            inside.signal()
            for _ in 0..<1000 { sched_yield() }
            isDone.value = true
            return Disposables.create()
        }
        XCTAssertEqual(inside.wait(timeout: .now() + 20), .success)
        loop.shutdown()
        XCTAssertEqual(isDone.value, true)
    }

    /// A task inherits the values of the work that creates it, but the shutdown does not wait for it.
    func testATaskThatBlockingWorkHasCreatedIsNotAwaitedByTheShutdown() {
        let (steps, opening) = AsyncStream<Void>.makeStream()
        let isAwaited = awaiting { done in
            let created = DispatchSemaphore(value: 0)
            _ = BlockingScheduler(on: loop).schedule(()) { _ in
                Task {
                    for await _ in steps {}
                    done(BlockingScheduler.isAwaitedByShutdown)
                }
                created.signal()
                return Disposables.create()
            }
            XCTAssertEqual(created.wait(timeout: .now() + 20), .success)
            loop.shutdown()
            opening.finish()
        }
        XCTAssertFalse(isAwaited)
    }
}
