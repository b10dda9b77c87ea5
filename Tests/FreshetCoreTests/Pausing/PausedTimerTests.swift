import FreshetCore
import FreshetTesting
import XCTest

/// Tests timers whose scheduler runs the work on another thread, ahead of the thread that schedules it.
final class PausedTimerTests: CoreTestCase {
    private let scheduler = AheadScheduler(TestScheduler(initialClock: 0))
    private let subscription = SerialDisposable()

    override func tearDown() {
        subscription.dispose()
        super.tearDown()
    }

    private func observe(_ stream: Observable<Int>) -> Recorder<Int> {
        let recorder = Recorder<Int>()
        stream.subscribe(recorder, in: subscription)
        return recorder
    }

    func testRule14ATimerThatBecomesDueWhileItIsScheduledDuringAPauseEmitsAtTheResume() {
        scheduler.interruption.withLock { [subscription, scheduler] in
            $0 = {
                subscription.pause()
                scheduler.base.advanceTo(20)
                subscription.resume()
            }
        }
        let recorder = observe(.timer(.seconds(10), scheduler: scheduler))
        scheduler.base.start()
        XCTAssertEqual(recorder.events, [.next(0), .completed])
    }

    func testRule14ATimerThatIsPausedAgainWhileItsTickIsScheduledEmitsAtTheNextResume() {
        let recorder = observe(.timer(.seconds(10), scheduler: scheduler))
        subscription.pause()
        scheduler.base.advanceTo(20)
        scheduler.interruption.withLock { [subscription, scheduler] in
            $0 = {
                subscription.pause()
                scheduler.base.advanceTo(30)
                subscription.resume()
            }
        }
        subscription.resume()
        scheduler.base.start()
        XCTAssertEqual(recorder.events, [.next(0), .completed])
    }
}

/// A scheduler whose other threads are faster than its caller.
private struct AheadScheduler: SchedulerType {
    let base: TestScheduler
    /// What other threads do before the next call that schedules work returns.
    let interruption = Locked<(@Sendable () -> Void)?>(nil)

    init(_ base: TestScheduler) {
        self.base = base
    }

    var now: Instant { base.now }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        interrupted(base.schedule(state, action: action))
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        interrupted(base.scheduleRelative(state, dueTime: dueTime, action: action))
    }

    private func interrupted(_ work: any Disposable) -> any Disposable {
        interruption.withLock { $0.take() }?()
        return work
    }
}
