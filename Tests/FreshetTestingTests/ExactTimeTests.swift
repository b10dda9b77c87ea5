import FreshetCore
import FreshetTesting
import XCTest

/// A time in units and the same time as an `Instant` are the same point, so operators emit in exactly the expected unit.
final class ExactTimeTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private static let resolutions: [(Double, Duration)] = [
        (1, .seconds(1)), (0.1, .milliseconds(100)), (0.01, .milliseconds(10)), (0.001, .milliseconds(1)),
        (0.0001, .microseconds(100)), (0.000_001, .microseconds(1)), (0.000_000_001, .nanoseconds(1)),
        (0.3, .milliseconds(300)), (60, .seconds(60)),
    ]

    func testTheConverterIsExactInBothDirectionsForEachResolution() {
        for (resolution, unit) in Self.resolutions {
            let converter = TestSchedulerVirtualTimeConverter(resolution: resolution)
            for time in Array(-30...3000) + [1_700_000_000_123, -1_700_000_000_123] {
                let instant = Instant(sinceStart: unit * time)
                XCTAssertEqual(converter.convertFromVirtualTime(time), instant, "\(time) × \(resolution)")
                XCTAssertEqual(converter.convertToVirtualTime(instant), time, "\(time) × \(resolution)")
                let seconds = converter.convertFromVirtualTimeInterval(time)
                XCTAssertEqual(converter.convertToVirtualTimeInterval(seconds), time, "\(time) × \(resolution)")
            }
        }
    }

    func testAnIntervalInSecondsIsTheNearestDouble() {
        let milliseconds = TestSchedulerVirtualTimeConverter(resolution: 0.001)
        for interval in -3000...3000 {
            XCTAssertEqual(milliseconds.convertFromVirtualTimeInterval(interval), Double(interval) / 1000)
        }
    }

    func testATimeBetweenTwoUnitsBecomesTheNearestAndHalfAUnitTheLater() {
        for resolution in [0.001, 0.3, 1.0 / 60] {
            let converter = TestSchedulerVirtualTimeConverter(resolution: resolution)
            let unit = converter.convertFromVirtualTime(1).sinceStart
            for time in -20...500 {
                let start = unit * time
                let times = [
                    start - unit * 2 / 5, start + unit * 2 / 5, start + unit * 3 / 5,
                    start + unit * 1 / 2 + .nanoseconds(1),
                ]
                let units = times.map { converter.convertToVirtualTime(Instant(sinceStart: $0)) }
                XCTAssertEqual(units, [time, time, time + 1, time + 1], "\(resolution)")
            }
        }
        let halves = [-1.5, -0.5, 0.5, 1.5].map { Instant(sinceStart: .milliseconds(1) * $0) }
        let converter = TestSchedulerVirtualTimeConverter(resolution: 0.001)
        XCTAssertEqual(halves.map(converter.convertToVirtualTime), [-1, 0, 1, 2])
    }

    func testAnExtremeTimeOrResolutionBecomesTheEndOfTheRange() {
        for resolution in [1e-30, 1e-18, 1e-9, 0.001, 1, 1000, 1e18, 1e30, .greatestFiniteMagnitude] {
            let converter = TestSchedulerVirtualTimeConverter(resolution: resolution)
            for time in [TestTime.min, -1, 1, .max] {
                let instant = converter.convertFromVirtualTime(time)
                XCTAssertEqual(instant < Instant(sinceStart: .zero), time < 0, "\(time) × \(resolution)")
                XCTAssertLessThanOrEqual(abs(converter.convertToVirtualTime(instant)), 1 << 60)
            }
        }
        let milliseconds = TestSchedulerVirtualTimeConverter(resolution: 0.001)
        for seconds in [-9e18, 9e18] {
            let end = milliseconds.convertToVirtualTime(Instant(sinceStart: .seconds(seconds)))
            XCTAssertEqual(end, seconds < 0 ? -1 << 60 : 1 << 60)
        }
    }

    /// Subscribes to one stream for each of `spans`, all at 9, and compares the times of their events.
    private func expect(
        _ name: String, _ spans: some Sequence<Int> = stride(from: 1, through: 3000, by: 17),
        _ make: (_ span: Duration, _ scheduler: TestScheduler) -> Observable<Int>, _ expected: (Int) -> [TestTime]
    ) {
        let scheduler = TestScheduler(initialClock: 9, resolution: 0.001, simulateProcessingDelay: false)
        let observers = spans.map { span in
            let observer = scheduler.createObserver(Int.self)
            _ = make(.milliseconds(span), scheduler).subscribe(observer)
            return (span, observer)
        }
        scheduler.start()
        for (span, observer) in observers {
            let times = observer.events.map { $0.time - 9 }
            if times != expected(span) {
                return XCTFail("\(name) by \(span) emits at \(times) instead of \(expected(span))")
            }
        }
    }

    func testOperatorsOfTimeAreExactForEachSpan() {
        let never = Observable<Int>.never()
        expect("delay", 1...3000) {
            .just(1).delay($0, scheduler: $1)
        } _: {
            [$0, $0]
        }
        expect("delaySubscription") {
            .just(1).delaySubscription($0, scheduler: $1)
        } _: {
            [$0, $0]
        }
        expect("timer") {
            .timer($0, scheduler: $1)
        } _: {
            [$0, $0]
        }
        expect("interval") {
            .interval($0, scheduler: $1).take(3)
        } _: {
            [$0, 2 * $0, 3 * $0, 3 * $0]
        }
        expect("timeout") {
            never.timeout($0, scheduler: $1).catchAndReturn(0)
        } _: {
            [$0, $0]
        }
        expect("buffer") {
            never.buffer(timeSpan: $0, count: 9, scheduler: $1).map(\.count).take(2)
        } _: {
            [$0, 2 * $0, 2 * $0]
        }
        expect("window") {
            never.window(timeSpan: $0, count: 9, scheduler: $1).map { _ in 0 }.take(3)
        } _: {
            [0, $0, 2 * $0, 2 * $0]
        }
        expect("debounce") {
            .just(1).concat(never).debounce($0, scheduler: $1).take(1)
        } _: {
            [$0, $0]
        }
        expect("throttle") {
            .of(1, 2).concat(never).throttle($0, scheduler: $1).take(2)
        } _: {
            [0, $0, $0]
        }
    }

    func testADelayIsExactAtEachTime() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let times = stride(from: 1, through: 3000, by: 3).flatMap { [$0, $0] }
        let source = scheduler.createHotObservable(times.map { .next($0, $0) } + [.completed(3000)])
        let observer = scheduler.createObserver(Int.self)
        _ = source.delay(.milliseconds(500), scheduler: scheduler).subscribe(observer)
        scheduler.start()
        XCTAssertEqual(observer.events, times.map { .next($0 + 500, $0) } + [.completed(3500)])
    }

    func testDelaysOneAfterTheOtherDoNotDrift() {
        for (resolution, span) in [(0.001, 500), (1.0 / 60, 30), (1.0 / 3, 2), (1, 2)] {
            let scheduler = TestScheduler(initialClock: 0, resolution: resolution, simulateProcessingDelay: false)
            let source = scheduler.createHotObservable((1...50).map { .next(400, $0) } + [.completed(400)])
            let wait = TestSchedulerVirtualTimeConverter(resolution: resolution).convertFromVirtualTime(span).sinceStart
            let observer = scheduler.createObserver(Int.self)
            _ = source.concatMap { Single.just($0).delay(wait, scheduler: scheduler) }.subscribe(observer)
            scheduler.start()
            XCTAssertEqual(
                observer.events,
                (1...50).map { .next(400 + $0 * span, $0) } + [.completed(400 + 50 * span)], "\(resolution)")
        }
    }
}
