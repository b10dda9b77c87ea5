import FreshetCore
import FreshetTesting
import XCTest

/// The virtual times are RxTest's: work that is scheduled for now runs a unit later.
final class TimingSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testDelayReleasesTheSourceWhenItEnds() {
        let source = scheduler.createHotObservable([.next(150, 0), .next(250, 1), .next(320, 2), .completed(400)])
        let result = scheduler.start { [scheduler] in source.delay(.seconds(120), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(370, 1), .next(440, 2), .completed(520)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 400)])
    }

    func testDelayEmitsSimultaneousElementsOneAfterTheOther() {
        let result = scheduler.start { [scheduler] in Observable.of(7, 8).delay(.seconds(50), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(250, 7), .next(251, 8), .completed(252)])
    }

    func testDelayByZeroTakesOneUnit() {
        let result = scheduler.start { [scheduler] in Observable.just(1).delay(.zero, scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(201, 1), .completed(202)])
    }

    func testDelayPassesAnErrorAtOnceAndDropsWaitingElements() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .error(35, Fault.first)])
        let result = scheduler.start { [scheduler] in source.delay(.seconds(20), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(230, 1), .error(235, Fault.first)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 235)])
    }

    func testAnOperatorBeforeADelayDisposesOfItsSourceWhenItCompletes() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
        let result = scheduler.start { [scheduler] in source.take(1).delay(.seconds(100), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(310, 1), .completed(311)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 210)])
    }

    func testThrottleReleasesAnEndedSource() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(250, 2), .completed(300)])
        let result = scheduler.start { [scheduler] in source.throttle(.seconds(200), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(410, 2), .completed(410)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 300)])
    }

    func testSampleReleasesAnEndedSource() {
        let source = scheduler.createHotObservable([.next(210, 1), .completed(230)])
        let sampler = scheduler.createHotObservable([.next(220, ()), .next(260, ())])
        let result = scheduler.start { source.sample(sampler) }
        XCTAssertEqual(result.events, [.next(220, 1), .completed(260)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 230)])
        XCTAssertEqual(sampler.subscriptions, [Subscription(200, 260)])
    }

    func testAnEndedSamplerIsReleased() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(260)])
        let sampler = scheduler.createHotObservable([.next(220, 0), .next(240, 0), .completed(250)])
        let result = scheduler.start { source.sample(sampler.element(at: 0)) }
        XCTAssertEqual(result.events, [.next(220, 1)])
        XCTAssertEqual(sampler.subscriptions, [Subscription(200, 220)])
    }

    func testAnIntervalOfZeroTicksEachUnit() {
        let result = scheduler.start(disposed: 205) { [scheduler] in
            Observable<Int>.interval(.zero, scheduler: scheduler)
        }
        XCTAssertEqual(result.events, [.next(201, 0), .next(202, 1), .next(203, 2), .next(204, 3)])
    }

    func testATimerCountsThePeriodFromItsFirstTick() {
        let result = scheduler.start(disposed: 220) { [scheduler] in
            Observable<Int>.timer(.zero, period: .seconds(5), scheduler: scheduler)
        }
        XCTAssertEqual(result.events, [.next(201, 0), .next(206, 1), .next(211, 2), .next(216, 3)])
    }

    func testATickPrecedesWorkOfThePreviousTickForTheSameTime() {
        let result = scheduler.start(disposed: 235) { [scheduler] in
            Observable<Int>.interval(.seconds(10), scheduler: scheduler).flatMap { number in
                Observable<Int>.timer(.seconds(10), scheduler: scheduler).map { _ in number + 100 }.startWith(number)
            }
        }
        XCTAssertEqual(
            result.events, [.next(210, 0), .next(220, 1), .next(220, 100), .next(230, 2), .next(230, 101)])
    }

    func testATimerWithoutAPeriodCompletesWithItsTick() {
        let result = scheduler.start { [scheduler] in Observable<Int>.timer(.seconds(30), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(230, 0), .completed(230)])
        let negative = TestScheduler(initialClock: 0)
        let early = negative.start { Observable<Int>.timer(.seconds(-30), scheduler: negative) }
        XCTAssertEqual(early.events, [.next(201, 0), .completed(201)])
    }

    func testATimeoutOfZeroFailsAUnitLater() {
        let source = scheduler.createHotObservable([.next(210, 1)])
        let result = scheduler.start { [scheduler] in source.timeout(.zero, scheduler: scheduler) }
        XCTAssertEqual(result.events, [.error(201, RxError.timeout)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 201)])
    }

    func testAnElementOfAColdSourceAtTheTimeOfTheTimeoutIsTooLate() {
        let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let result = scheduler.start { [scheduler] in source.timeout(.seconds(10), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.error(210, RxError.timeout)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 210)])
    }

    func testAnElementOfAHotSourceAtTheTimeOfTheTimeoutIsInTime() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(225)])
        let result = scheduler.start { [scheduler] in source.timeout(.seconds(10), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(220, 2), .completed(225)])
    }

    func testTimeoutSwitchesToTheOtherStreamAndDisposesOfTheSource() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(400, 2)])
        let other = scheduler.createColdObservable([.next(5, 8), .error(50, Fault.second)])
        let result = scheduler.start { [scheduler] in
            source.timeout(.seconds(100), other: other, scheduler: scheduler)
        }
        XCTAssertEqual(result.events, [.next(210, 1), .next(315, 8), .error(360, Fault.second)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 310)])
        XCTAssertEqual(other.subscriptions, [Subscription(310, 360)])
    }

    func testDelaySubscriptionByZeroSubscribesAUnitLater() {
        let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let result = scheduler.start { [scheduler] in source.delaySubscription(.zero, scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(211, 1), .completed(221)])
        XCTAssertEqual(source.subscriptions, [Subscription(201, 221)])
    }

    /// Sends 1 at 205 and 2 at 210. At 220 it subscribes to a stream that sends 3 at 230.
    private func lateStart() -> Observable<Int> {
        let source = scheduler.createHotObservable([.next(205, 1), .next(210, 2), .next(220, 3), .completed(300)])
        return source.flatMap { [scheduler] number -> Observable<Int> in
            if number < 3 { return .just(number) }
            return .just(number).delaySubscription(.seconds(10), scheduler: scheduler)
        }
    }

    func testATimeoutPrecedesALaterScheduledElementOfTheSameTime() {
        let timeout = scheduler.start { [scheduler] in self.lateStart().timeout(.seconds(20), scheduler: scheduler) }
        XCTAssertEqual(timeout.events, [.next(205, 1), .next(210, 2), .error(230, RxError.timeout)])
    }

    func testAnElementAtTheTimeOfADebounceDoesNotReplaceTheDueElement() {
        let debounced = scheduler.start { [scheduler] in self.lateStart().debounce(.seconds(20), scheduler: scheduler) }
        XCTAssertEqual(debounced.events, [.next(230, 2), .next(250, 3), .completed(300)])
    }
}
