import FreshetCore
import FreshetTesting
import XCTest

/// Tests operators of time with durations of zero, below zero and without end. Work that is due now or earlier runs a unit
/// later.
final class DurationSemanticsTests: CoreTestCase {
    private typealias Timed = @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>

    /// The events of an operator whose source emits 1 at 210, 2 at 220 and 3 at 250, and stops at 300.
    private func events(
        until disposed: Int = 1000, stop: Event<Int> = .completed, _ timed: @escaping Timed
    ) -> [Recorded<Event<Int>>] {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(250, 3), Recorded(time: 300, value: stop),
        ])
        return scheduler.start(disposed: disposed) { timed(source.asObservable(), scheduler) }.events
    }

    private let all: [Recorded<Event<Int>>] = [.next(210, 1), .next(220, 2), .next(250, 3), .completed(300)]
    private let aUnitLater: [Recorded<Event<Int>>] = [.next(211, 1), .next(221, 2), .next(251, 3), .completed(300)]

    func testDebounceByZeroOrLessTakesAUnitAndByForeverEmitsTheLastElementAtTheEnd() {
        XCTAssertEqual(events { $0.debounce(.zero, scheduler: $1) }, aUnitLater)
        XCTAssertEqual(events { $0.debounce(.seconds(-5), scheduler: $1) }, aUnitLater)
        XCTAssertEqual(events { $0.debounce(.never, scheduler: $1) }, [.next(300, 3), .completed(300)])
        XCTAssertEqual(
            events(stop: .error(Fault.first)) { $0.debounce(.never, scheduler: $1) }, [.error(300, Fault.first)])
    }

    func testThrottleByZeroOrLessPassesAllElementsAndByForeverOnlyTheFirst() {
        for duration in [RxTimeInterval.zero, .seconds(-5)] {
            XCTAssertEqual(events { $0.throttle(duration, scheduler: $1) }, all)
            XCTAssertEqual(events { $0.throttle(duration, latest: false, scheduler: $1) }, all)
        }
        XCTAssertEqual(events { $0.throttle(.never, scheduler: $1) }, [.next(210, 1)])
        XCTAssertEqual(
            events { $0.throttle(.never, latest: false, scheduler: $1) }, [.next(210, 1), .completed(300)])
    }

    func testThrottleDelaysTheCompletionOnlyWithLatest() {
        XCTAssertEqual(
            events { $0.throttle(.seconds(30), scheduler: $1) },
            [.next(210, 1), .next(240, 2), .next(270, 3), .completed(300)])
        XCTAssertEqual(
            events { $0.throttle(.seconds(30), latest: false, scheduler: $1) },
            [.next(210, 1), .next(250, 3), .completed(300)])
        XCTAssertEqual(
            events { $0.throttle(.seconds(100), scheduler: $1) }, [.next(210, 1), .next(310, 3), .completed(310)])
        XCTAssertEqual(
            events(stop: .error(Fault.first)) { $0.throttle(.seconds(100), scheduler: $1) },
            [.next(210, 1), .error(300, Fault.first)])
    }

    func testDelayByZeroOrLessTakesAUnitAndByForeverPassesOnlyAnError() {
        let later: [Recorded<Event<Int>>] = [.next(211, 1), .next(221, 2), .next(251, 3), .completed(301)]
        XCTAssertEqual(events { $0.delay(.zero, scheduler: $1) }, later)
        XCTAssertEqual(events { $0.delay(.seconds(-5), scheduler: $1) }, later)
        XCTAssertEqual(events { $0.delay(.never, scheduler: $1) }, [])
        XCTAssertEqual(
            events(stop: .error(Fault.first)) { $0.delay(.never, scheduler: $1) }, [.error(300, Fault.first)])
    }

    func testDelaySubscriptionByZeroOrLessSubscribesAUnitLater() {
        XCTAssertEqual(events { $0.delaySubscription(.zero, scheduler: $1) }, all)
        XCTAssertEqual(events { $0.delaySubscription(.seconds(-5), scheduler: $1) }, all)
        XCTAssertEqual(events { $0.delaySubscription(.seconds(15), scheduler: $1) }, Array(all.dropFirst()))
        XCTAssertEqual(events { $0.delaySubscription(.never, scheduler: $1) }, [])
    }

    func testATimeoutOfZeroOrLessFailsAUnitLaterAndOneOfForeverNever() {
        XCTAssertEqual(events { $0.timeout(.seconds(-5), scheduler: $1) }, [.error(201, RxError.timeout)])
        XCTAssertEqual(events { $0.timeout(.never, scheduler: $1) }, all)
        XCTAssertEqual(
            events { $0.timeout(.zero, other: Observable.just(9), scheduler: $1) }, [.next(201, 9), .completed(201)])
        XCTAssertEqual(
            events { $0.timeout(.seconds(25), other: Observable.never(), scheduler: $1) },
            [.next(210, 1), .next(220, 2)])
        XCTAssertEqual(
            events(stop: .error(Fault.first)) { $0.timeout(.seconds(60), other: Observable.just(9), scheduler: $1) },
            [.next(210, 1), .next(220, 2), .next(250, 3), .error(300, Fault.first)])
    }

    func testTakeAndSkipForZeroOrLessTakeEffectAUnitLater() {
        for duration in [RxTimeInterval.zero, .seconds(-5)] {
            XCTAssertEqual(events { $0.take(for: duration, scheduler: $1) }, [.completed(201)])
            XCTAssertEqual(events { $0.skip(duration, scheduler: $1) }, all)
            XCTAssertEqual(
                events { $0.startWith(0).take(for: duration, scheduler: $1) }, [.next(200, 0), .completed(201)])
        }
        XCTAssertEqual(events { $0.take(for: .never, scheduler: $1) }, all)
        XCTAssertEqual(events { $0.skip(.never, scheduler: $1) }, [.completed(300)])
        XCTAssertEqual(
            events { $0.take(for: .seconds(20), scheduler: $1) }, [.next(210, 1), .next(220, 2), .completed(220)])
        XCTAssertEqual(events { $0.skip(.seconds(20), scheduler: $1) }, [.next(250, 3), .completed(300)])
        XCTAssertEqual(
            events(stop: .error(Fault.first)) { $0.skip(.never, scheduler: $1) }, [.error(300, Fault.first)])
    }

    private func timer(
        until disposed: Int = 300, _ make: @escaping @Sendable (TestScheduler) -> Observable<Int>
    ) -> [Recorded<Event<Int>>] {
        let scheduler = TestScheduler(initialClock: 0)
        return scheduler.start(disposed: disposed) { make(scheduler) }.events
    }

    func testATimerWithAPeriodOfZeroOrLessTicksEachUnit() {
        XCTAssertEqual(timer { .timer(.zero, scheduler: $0) }, [.next(201, 0), .completed(201)])
        XCTAssertEqual(timer { .timer(.never, scheduler: $0) }, [])
        XCTAssertEqual(timer { .timer(.never, period: .seconds(1), scheduler: $0) }, [])
        XCTAssertEqual(timer { .timer(.seconds(10), period: .never, scheduler: $0) }, [.next(210, 0)])
        for period in [RxTimeInterval.zero, .seconds(-5)] {
            XCTAssertEqual(
                timer(until: 213) { .timer(.seconds(10), period: period, scheduler: $0) },
                [.next(210, 0), .next(211, 1), .next(212, 2)])
        }
    }

    func testAnIntervalOfLessThanZeroTicksEachUnit() {
        XCTAssertEqual(timer { .interval(.never, scheduler: $0) }, [])
        XCTAssertEqual(
            timer(until: 204) { .interval(.seconds(-5), scheduler: $0) }, [.next(201, 0), .next(202, 1), .next(203, 2)])
    }

    func testABufferIsEmittedWhenItIsFullOrDue() {
        let buffers: (TestScheduler, Int, RxTimeInterval, Int) -> [Recorded<Event<[Int]>>] = {
            scheduler, end, span, count in
            let source = scheduler.createHotObservable([
                .next(210, 1), .next(220, 2), .next(250, 3), .completed(300),
            ])
            return scheduler.start(disposed: end) { source.buffer(timeSpan: span, count: count, scheduler: scheduler) }
                .events
        }
        let new = { TestScheduler(initialClock: 0) }
        XCTAssertEqual(buffers(new(), 204, .zero, 2), [.next(201, []), .next(202, []), .next(203, [])])
        XCTAssertEqual(buffers(new(), 204, .seconds(-1), 2), [.next(201, []), .next(202, []), .next(203, [])])
        XCTAssertEqual(buffers(new(), 1000, .never, 2), [.next(220, [1, 2]), .next(300, [3]), .completed(300)])
        XCTAssertEqual(
            buffers(new(), 1000, .seconds(70), 0), [.next(270, [1, 2, 3]), .next(300, []), .completed(300)])
        XCTAssertEqual(
            buffers(new(), 1000, .seconds(40), 2),
            [.next(220, [1, 2]), .next(260, [3]), .next(300, []), .completed(300)])
        XCTAssertEqual(
            buffers(new(), 1000, .seconds(15), 1),
            [
                .next(210, [1]), .next(220, [2]), .next(235, []), .next(250, [3]), .next(265, []),
                .next(280, []), .next(295, []), .next(300, []), .completed(300),
            ])
    }

    func testAnErrorDropsTheElementsOfABuffer() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(225, 3), .error(230, Fault.first),
        ])
        let result = scheduler.start { source.buffer(timeSpan: .seconds(100), count: 2, scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(220, [1, 2]), .error(230, Fault.first)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 230)])
    }

    private func windows(_ span: RxTimeInterval, _ count: Int, stop: Event<Int> = .completed) -> [Recorded<
        Event<String>
    >] {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(250, 3), Recorded(time: 300, value: stop),
        ])
        return scheduler.start { () -> Observable<String> in
            source.window(timeSpan: span, count: count, scheduler: scheduler).enumerated().flatMap { number, window in
                window.map { "\(number): \($0)" }.concat(Observable.just("\(number) end"))
            }
        }.events
    }

    func testAWindowCompletesWhenItIsFullOrDue() {
        XCTAssertEqual(
            windows(.seconds(70), 2),
            [
                .next(210, "0: 1"), .next(220, "0: 2"), .next(220, "0 end"), .next(250, "1: 3"), .next(290, "1 end"),
                .next(300, "2 end"), .completed(300),
            ])
        XCTAssertEqual(
            windows(.never, 3),
            [
                .next(210, "0: 1"), .next(220, "0: 2"), .next(250, "0: 3"), .next(250, "0 end"), .next(300, "1 end"),
                .completed(300),
            ])
        XCTAssertEqual(
            windows(.never, 0, stop: .error(Fault.first)),
            [.next(210, "0: 1"), .next(220, "0: 2"), .next(250, "0: 3"), .error(300, Fault.first)])
    }

    func testSampleEmitsItsDefaultAndCompletesAtATick() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(250)])
        let sampler = scheduler.createHotObservable([
            .next(205, 0), .next(220, 0), .next(225, 0), .next(260, 0), .next(270, 0),
        ])
        let result = scheduler.start { source.sample(sampler, defaultValue: 9) }
        XCTAssertEqual(
            result.events, [.next(205, 9), .next(220, 1), .next(225, 9), .next(260, 2), .completed(260)])
        XCTAssertEqual(sampler.subscriptions, [Subscription(200, 260)])
    }

    func testTheCompletionOfASamplerIsATickAndItsErrorFailsTheStream() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(250)])
        let ending = scheduler.createHotObservable([.completed(240)] as [Recorded<Event<Int>>])
        let late = scheduler.createHotObservable([.completed(260)] as [Recorded<Event<Int>>])
        let failing = scheduler.createHotObservable([.error(240, Fault.first)] as [Recorded<Event<Int>>])
        let observers = (0..<3).map { _ in scheduler.createObserver(Int.self) }
        let subscriptions = CompositeDisposable()
        for (sampler, observer) in zip([ending, late, failing], observers) {
            scheduler.scheduleAt(200) { subscriptions.insert(source.sample(sampler).subscribe(observer)) }
        }
        scheduler.start()
        XCTAssertEqual(
            observers.map(\.events),
            [[.next(240, 2)], [.next(260, 2), .completed(260)], [.error(240, Fault.first)]])
        subscriptions.dispose()
    }
}
