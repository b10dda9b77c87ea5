import FreshetCore
import FreshetFoundation
import XCTest

final class RxTimeTests: XCTestCase {
    func testDatesAndInstantsConvertWithoutLoss() {
        for step in -1000...1000 {
            let date = Date(timeIntervalSinceReferenceDate: Double(step) * 101 + Double(step & 1023) / 1024)
            XCTAssertEqual(Date(instant: date.instant), date)
        }
        XCTAssertEqual(Date(timeIntervalSince1970: 0).instant, Instant(sinceStart: .zero))
        XCTAssertEqual(Date(instant: Date.distantFuture.instant), .distantFuture)
    }

    func testNowIsAnInstantUnlessADateIsRequired() {
        let scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
        let start = scheduler.now
        let before = Date()
        let date: RxTime = scheduler.now
        XCTAssertTrue((before...Date()).contains(date))
        XCTAssertGreaterThanOrEqual(scheduler.now.timeIntervalSince(start), 0)
        XCTAssertEqual(start.addingTimeInterval(1.5).timeIntervalSince(start), 1.5)
        XCTAssertGreaterThan(scheduler.now.timeIntervalSince(before), -1)
    }

    func testDispatchIntervalsConvertToIntervals() {
        XCTAssertEqual(RxTimeInterval(DispatchTimeInterval.seconds(2)), .seconds(2))
        XCTAssertEqual(RxTimeInterval(DispatchTimeInterval.milliseconds(2)), .milliseconds(2))
        XCTAssertEqual(RxTimeInterval(DispatchTimeInterval.microseconds(2)), .microseconds(2))
        XCTAssertEqual(RxTimeInterval(DispatchTimeInterval.nanoseconds(2)), .nanoseconds(2))
        XCTAssertEqual(RxTimeInterval(DispatchTimeInterval.never), .never)
    }
}
