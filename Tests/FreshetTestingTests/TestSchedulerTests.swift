import FreshetCore
import FreshetTesting
import XCTest

final class TestSchedulerTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    struct Failure: Error {}

    func testAHotSourceEmitsAtAbsoluteTimesAndRecordsItsSubscriptions() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(150, 1), .next(210, 2), .next(220, 3), .completed(230), .next(240, 9),
        ])
        let result = scheduler.start { source.map { $0 * 10 } }
        XCTAssertEqual(result.events, [.next(210, 20), .next(220, 30), .completed(230)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 230)])
        XCTAssertEqual(scheduler.clock, 1000)
    }

    func testAColdSourceEmitsRelativeToEachSubscription() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, Failure())])
        let result = scheduler.start { source.retry(2) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(230, 1), .error(240, Failure())])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220), Subscription(220, 240)])
    }

    func testATimeAfterTheEndOfTimeIsTheEndOfTime() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 1000)
        let source = scheduler.createColdObservable([.next(10, 1), .next(.max, 2)])
        let observer = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) { _ = source.subscribe(observer) }
        scheduler.scheduleAt(.max) {
            _ = Observable.just(3).delay(.seconds(1), scheduler: scheduler).subscribe(observer)
        }
        scheduler.start()
        XCTAssertEqual(observer.events, [.next(210, 1), .next(.max, 2), .next(.max, 3), .completed(.max)])
        XCTAssertGreaterThan(scheduler.now, Instant(sinceStart: .seconds(1e12)))
    }

    func testStartSubscribesAndDisposesAtTheGivenTimes() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(310, 2)])
        let result: TestableObserver<Int> = scheduler.start(created: 10, subscribed: 20, disposed: 300) { source }
        XCTAssertEqual(result.events, [.next(210, 1)])
        XCTAssertEqual(source.subscriptions, [Subscription(20, 300)])
    }

    func testWorkRunsInOrderOfTimeAndThenOfScheduling() {
        let scheduler = TestScheduler(initialClock: 0)
        var seen: [String] = []
        scheduler.scheduleAt(20) { seen.append("c\(scheduler.clock)") }
        scheduler.scheduleAt(10) { seen.append("a\(scheduler.clock)") }
        scheduler.scheduleAt(10) { seen.append("b\(scheduler.clock)") }
        scheduler.scheduleAbsoluteVirtual((), time: 15) { _ in
            seen.append("never")
            return Disposables.create()
        }.dispose()
        scheduler.start()
        XCTAssertEqual(seen, ["a10", "b10", "c20"])
    }

    func testWorkDueNowRunsAUnitLaterOnlyWithAProcessingDelay() {
        for (delayed, expected) in [(true, 11), (false, 10)] {
            let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: delayed)
            let times = TimeLog()
            scheduler.scheduleAt(10) {
                _ = scheduler.schedule(()) { _ in
                    times.append(scheduler.clock)
                    return Disposables.create()
                }
            }
            scheduler.start()
            XCTAssertEqual(times.all, [expected])
        }
    }

    /// Without such a unit, a timer with this period would run for ever at one time.
    func testAWaitOfLessThanHalfAUnitTakesAUnit() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let observer = scheduler.createObserver(Int.self)
        let subscription = Observable<Int>.timer(.zero, period: .milliseconds(100), scheduler: scheduler).take(1000)
            .subscribe(observer)
        scheduler.advanceTo(2)
        XCTAssertEqual(observer.events, [.next(0, 0), .next(1, 1), .next(2, 2)])
        subscription.dispose()
    }

    func testTheResolutionDefinesTheLengthOfAUnit() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let times = TimeLog()
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(250)) { _ in
            times.append(scheduler.clock)
            return Disposables.create()
        }
        scheduler.start()
        XCTAssertEqual(times.all, [250])
        XCTAssertEqual(scheduler.now, Instant(sinceStart: .milliseconds(250)))
    }

    func testAdvanceStopsAtItsTimeAndStopTakesEffectAtOnce() {
        let scheduler = TestScheduler(initialClock: 0)
        var seen: [Int] = []
        for time in [10, 20, 30] { scheduler.scheduleAt(time) { seen.append(time) } }
        scheduler.advanceTo(20)
        XCTAssertEqual(seen, [10, 20])
        scheduler.advanceBy(5)
        XCTAssertEqual(scheduler.clock, 25)
        scheduler.scheduleAt(26) { scheduler.stop() }
        scheduler.start()
        XCTAssertEqual(seen, [10, 20])
        scheduler.start()
        XCTAssertEqual(seen, [10, 20, 30])
    }

    func testPeriodicWorkKeepsItsTimes() {
        let scheduler = TestScheduler(initialClock: 0)
        let times = TimeLog()
        let work = scheduler.schedulePeriodic(0, startAfter: .seconds(5), period: .seconds(10)) { count in
            times.append(scheduler.clock)
            return count + 1
        }
        scheduler.scheduleAt(30) { work.dispose() }
        scheduler.start()
        XCTAssertEqual(times.all, [5, 15, 25])
    }

    func testRecordingsAreComparedAndDescribed() {
        XCTAssertEqual(Recorded<Event<Int>>.next(1, 2), Recorded(time: 1, value: .next(2)))
        XCTAssertNotEqual(Recorded<Event<Int>>.next(1, 2), .next(1, 3))
        XCTAssertNotEqual(Recorded<Event<Int>>.completed(1), .completed(2))
        XCTAssertEqual("\(Recorded<Event<Int>>.next(1, 2))", "next(2) @ 1")
        XCTAssertEqual("\(Subscription(1))", "(1 : Infinity)")
        XCTAssertEqual(Subscription(1, 2), Subscription(1, 2))
    }
}

private final class TimeLog: @unchecked Sendable {
    private let lock = NSLock()
    private var times: [Int] = []

    var all: [Int] { lock.withLock { times } }
    func append(_ time: Int) { lock.withLock { times.append(time) } }
}
