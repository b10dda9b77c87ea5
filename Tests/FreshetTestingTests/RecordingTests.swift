import FreshetCore
import FreshetTesting
import XCTest

/// Tests that a scripted source follows its script; see RxTest's hot and cold observables.
final class RecordingTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testADirectObserverReceivesTheWholeScriptAndStaysSubscribed() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(10, 1), .completed(20), .next(30, 2)])
        let observer = scheduler.createObserver(Int.self)
        _ = source.subscribe(observer)
        scheduler.start()
        XCTAssertEqual(observer.events, [.next(10, 1), .completed(20), .next(30, 2)])
        XCTAssertEqual(source.subscriptions, [Subscription(0)])
    }

    func testTheStreamOfASourceEndsWithItsStopEvent() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable(Recorded.events(.next(10, 1), .completed(20), .next(30, 2)))
        let result = scheduler.start { source }
        XCTAssertEqual(result.events, [.next(210, 1), .completed(220)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
    }

    func testEventsAtTheTimesOfTheSubscriptionAndTheDisposalPrecedeThem() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(200, 1), .next(201, 2), .next(1000, 3), .next(1001, 4)])
        let result = scheduler.start { source }
        XCTAssertEqual(result.events, [.next(201, 2), .next(1000, 3)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 1000)])
    }

    func testWorkDueNowOrInThePastRunsAUnitLater() {
        let scheduler = TestScheduler(initialClock: 10)
        let times = Times()
        for due in [-5, 0, 1, 2] {
            _ = scheduler.scheduleRelative((), dueTime: .seconds(due)) { _ in
                times.record(scheduler)
                return Disposables.create()
            }
        }
        scheduler.start()
        XCTAssertEqual(times.all, [11, 11, 11, 12])
    }

    func testAbsoluteWorkDueNowRunsNow() {
        let scheduler = TestScheduler(initialClock: 10)
        var times: [TestTime] = []
        for time in [12, 10, 5] { scheduler.scheduleAt(time) { times.append(scheduler.clock) } }
        scheduler.start()
        XCTAssertEqual(times, [10, 10, 12])
    }

    func testPeriodicWorkEndsWhenATurnDisposesOfIt() {
        let scheduler = TestScheduler(initialClock: 0)
        let turns = SerialDisposable()
        let times = Times()
        turns.disposable = scheduler.schedulePeriodic(1, startAfter: .seconds(3), period: .seconds(2)) { count in
            times.record(scheduler)
            if count == 3 { turns.dispose() }
            return count + 1
        }
        scheduler.start()
        XCTAssertEqual(times.all, [3, 5, 7])
    }

    func testTheResolutionDefinesTheLengthOfAUnit() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
        let result = scheduler.start { Observable<Int>.timer(.milliseconds(1000), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(210, 0), .completed(210)])
    }
}

/// Used only on the test's thread.
private final class Times: @unchecked Sendable {
    private(set) var all: [TestTime] = []

    func record(_ scheduler: TestScheduler) { all.append(scheduler.clock) }
}
