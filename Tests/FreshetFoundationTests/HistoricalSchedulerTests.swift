import FreshetCore
import FreshetFoundation
import XCTest

final class HistoricalSchedulerTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    func testTheClockIsADate() {
        let scheduler = HistoricalScheduler()
        XCTAssertEqual(scheduler.clock, date(0))
        XCTAssertEqual(scheduler.now, date(0))
        scheduler.advanceTo(date(10))
        scheduler.sleep(5)
        XCTAssertEqual(scheduler.clock, date(15))
        let today: RxTime = scheduler.now
        XCTAssertEqual(today, date(15))
        XCTAssertEqual(HistoricalScheduler(initialClock: date(1.8e9)).now, date(1.8e9))
    }

    func testWorkRunsAtItsDate() {
        let start = date(1_700_000_000)
        let scheduler = HistoricalScheduler(initialClock: start)
        var seen: [Date] = []
        let note: (Int) -> any Disposable = { _ in
            seen.append(scheduler.clock)
            return Disposables.create()
        }
        _ = scheduler.scheduleRelative(0, dueTime: .seconds(20), action: note)
        scheduler.scheduleRelativeVirtual(0, dueTime: 10, action: note)
        scheduler.scheduleAbsoluteVirtual(0, time: start.addingTimeInterval(15), action: note)
        scheduler.start()
        XCTAssertEqual(seen, [10, 15, 20].map(start.addingTimeInterval))
    }

    func testOperatorsOfTimeRunOnTheHistoricalScheduler() {
        let scheduler = HistoricalScheduler(initialClock: date(100))
        let seen = Locked<[String]>([])
        let subscription = Observable<Int>.interval(.milliseconds(1500), scheduler: scheduler).take(3)
            .subscribe(onNext: { number in
                seen.withLock { $0.append("\(number) at \(scheduler.clock.timeIntervalSince1970)") }
            })
        scheduler.start()
        subscription.dispose()
        XCTAssertEqual(seen.withLock { $0 }, ["0 at 101.5", "1 at 103.0", "2 at 104.5"])
    }

    func testATimeBeyondTheRangeOfDatesIsNeverReached() {
        let scheduler = HistoricalScheduler(initialClock: date(1_700_000_000))
        let subscription = Observable<Int>.never().timeout(.seconds(Int64.max), scheduler: scheduler)
            .subscribe(onError: { XCTFail("\($0)") })
        scheduler.advanceTo(date(1_800_000_000))
        XCTAssertEqual(scheduler.now, date(1_800_000_000))
        subscription.dispose()
    }

    /// A converter as it is written for RxSwift, with `RxTime` for points of time.
    private struct Minutes: VirtualTimeConverterType {
        typealias VirtualTimeUnit = Int
        typealias VirtualTimeIntervalUnit = Int

        func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
            RxTime(timeIntervalSince1970: Double(virtualTime) * 60)
        }
        func convertToVirtualTime(_ time: RxTime) -> Int { Int(time.timeIntervalSince1970 / 60) }
        func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval {
            Double(virtualTimeInterval) * 60
        }
        func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int { Int(timeInterval / 60) }
        func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }

        func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
            lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
        }
    }

    func testAConverterCanUseDates() {
        let scheduler = VirtualTimeScheduler(initialClock: 0, converter: Minutes())
        var seen: [Int] = []
        _ = scheduler.scheduleRelative((), dueTime: .seconds(180)) { _ in
            seen.append(scheduler.clock)
            return Disposables.create()
        }
        scheduler.start()
        XCTAssertEqual(seen, [3])
        XCTAssertEqual(scheduler.now, date(180))
    }
}
