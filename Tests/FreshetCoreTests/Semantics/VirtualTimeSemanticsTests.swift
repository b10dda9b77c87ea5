import FreshetCore
import FreshetTesting
import XCTest

/// Tests the times of a `TestScheduler` on which programs written for RxTest rely.
final class VirtualTimeSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testAColdObservableEmitsAnEventOfTimeZeroAtTheSubscription() {
        let source = scheduler.createColdObservable([.next(0, 1), .next(1, 2), .next(2, 3), .completed(2)])
        let result = scheduler.start { source }
        XCTAssertEqual(result.events, [.next(200, 1), .next(201, 2), .next(202, 3), .completed(202)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 202)])
    }

    func testAnEventAtTheTimeOfTheSubscriptionPrecedesIt() {
        let source = scheduler.createHotObservable([.next(200, 1), .next(201, 2), .completed(1000)])
        let result = scheduler.start { source }
        XCTAssertEqual(result.events, [.next(201, 2), .completed(1000)])
    }

    func testADisposalAtTheTimeOfAnEventFollowsAnEventScheduledEarlier() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
        XCTAssertEqual(scheduler.start(disposed: 220) { source }.events, [.next(210, 1), .next(220, 2)])
        let other = TestScheduler(initialClock: 0)
        let late = other.start(disposed: 220) { Observable<Int>.interval(.seconds(10), scheduler: other) }
        XCTAssertEqual(late.events, [.next(210, 0)])
    }

    func testWorkOfTheSameTimeRunsInTheOrderInWhichItWasScheduled() {
        let log = Log<Int>()
        for number in [3, 1, 2] { scheduler.scheduleAt(10) { log.append(number) } }
        scheduler.scheduleAt(5) { log.append(0) }
        scheduler.start()
        XCTAssertEqual(log.all, [0, 3, 1, 2])
    }

    func testRelativeWorkThatIsDueNowRunsAUnitLaterAndAbsoluteWorkNow() {
        let times = Log<String>()
        scheduler.scheduleAt(10) { [scheduler] in
            _ = scheduler.scheduleRelative((), dueTime: .zero) { _ in
                times.append("relative \(scheduler.clock)")
                return Disposables.create()
            }
            _ = scheduler.schedule(()) { _ in
                times.append("now \(scheduler.clock)")
                return Disposables.create()
            }
            scheduler.scheduleAt(10) { times.append("absolute \(scheduler.clock)") }
        }
        scheduler.start()
        XCTAssertEqual(times.all, ["absolute 10", "relative 11", "now 11"])
    }

    func testWithoutAProcessingDelayDueWorkRunsNow() {
        let exact = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        XCTAssertEqual(
            exact.start { Observable.of(1, 2).observe(on: exact) }.events,
            [.next(200, 1), .next(200, 2), .completed(200)])
        let other = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        XCTAssertEqual(
            other.start { Observable<Int>.timer(.zero, scheduler: other) }.events, [.next(200, 0), .completed(200)])
    }

    func testAResolutionScalesTheUnits() {
        let fine = TestScheduler(initialClock: 0, resolution: 0.1)
        XCTAssertEqual(
            fine.start { Observable<Int>.timer(.seconds(2), scheduler: fine) }.events, [.next(220, 0), .completed(220)])
        let other = TestScheduler(initialClock: 0, resolution: 0.1)
        XCTAssertEqual(
            other.start { Observable<Int>.timer(.milliseconds(500), scheduler: other) }.events,
            [.next(205, 0), .completed(205)])
    }

    func testOperatorsOfTimeKeepTheOrderOfEventsAtOneTime() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(210, 2), .next(210, 3), .completed(210)])
        let observers = (0..<4).map { _ in scheduler.createObserver(Int.self) }
        let streams: [Observable<Int>] = [
            source.debounce(.seconds(10), scheduler: scheduler), source.throttle(.seconds(10), scheduler: scheduler),
            source.delay(.seconds(10), scheduler: scheduler), source.observe(on: scheduler),
        ]
        scheduler.scheduleAt(200) {
            for (stream, observer) in zip(streams, observers) { _ = stream.subscribe(observer) }
        }
        scheduler.start()
        XCTAssertEqual(
            observers.map(\.events),
            [
                [.next(210, 3), .completed(210)], [.next(210, 1), .next(220, 3), .completed(220)],
                [.next(220, 1), .next(221, 2), .next(222, 3), .completed(223)],
                [.next(211, 1), .next(212, 2), .next(213, 3), .completed(214)],
            ])
    }
}
