import Foundation
import Freshet
import FreshetTesting
import XCTest

final class VirtualTimeVocabularyTests: VocabularyTestCase {
    func testNowConvertsToADate() {
        let scheduler: SchedulerType = self.scheduler
        self.scheduler.advanceTo(10)
        let start = scheduler.now
        self.scheduler.advanceTo(15)
        XCTAssertEqual(scheduler.now.timeIntervalSince(start), 5)
        XCTAssertEqual(scheduler.now, start.addingTimeInterval(5))
        let date: RxTime = scheduler.now
        XCTAssertEqual(date, Date(timeIntervalSince1970: 15))
    }

    func testAVirtualTimeSchedulerWorksAsInRxSwift() {
        let scheduler = SixtiethsScheduler(initialClock: 0)
        var ticks: [Int] = []
        _ = scheduler.scheduleRelative((), dueTime: .seconds(1)) { _ in
            ticks.append(scheduler.clock)
            return Disposables.create()
        }
        _ = scheduler.scheduleRelativeVirtual((), dueTime: 30) { _ in
            ticks.append(scheduler.clock)
            return Disposables.create()
        }
        _ = scheduler.scheduleAbsoluteVirtual((), time: 90) { _ in
            ticks.append(scheduler.clock)
            scheduler.stop()
            return Disposables.create()
        }
        scheduler.start()
        XCTAssertEqual(ticks, [30, 60, 90])
        scheduler.sleep(30)
        scheduler.advanceTo(180)
        XCTAssertEqual(scheduler.now, Date(timeIntervalSince1970: 3))
        XCTAssertEqual(scheduler.debugDescription.isEmpty, false)
    }

    func testAHistoricalSchedulerWorksAsInRxSwift() {
        let scheduler = HistoricalScheduler(initialClock: Date(timeIntervalSince1970: 1000))
        _ = Observable<Int>.timer(.seconds(60), scheduler: scheduler).subscribe()
        scheduler.start()
        XCTAssertEqual(scheduler.now, Date(timeIntervalSince1970: 1060))
        XCTAssertEqual(HistoricalScheduler().clock, Date(timeIntervalSince1970: 0))
    }

    func testQueueSchedulersAcceptALeeway() {
        let leeway = DispatchTimeInterval.milliseconds(1)
        let queue = DispatchQueue(label: "queue")
        let schedulers: [SchedulerType] = [
            SerialDispatchQueueScheduler(
                internalSerialQueueName: "name", serialQueueConfiguration: { _ in }, leeway: leeway),
            SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "name", leeway: leeway),
            SerialDispatchQueueScheduler(qos: .background, internalSerialQueueName: "name", leeway: leeway),
            ConcurrentDispatchQueueScheduler(queue: queue, leeway: leeway),
            ConcurrentDispatchQueueScheduler(qos: .background, leeway: leeway), MainScheduler(),
        ]
        XCTAssertEqual(schedulers.count, 6)
    }

    func testEventsOfTraitsAreComparedByTheirContent() {
        XCTAssertEqual([MaybeEvent.success(1), .completed], [MaybeEvent.success(1), .completed])
        XCTAssertEqual([CompletableEvent.completed], [CompletableEvent.completed])
        let optional: [Recorded<Event<Int?>>] = [.next(1, nil), .next(2, 3)]
        XCTAssertEqual(optional, [.next(1, nil), .next(2, 3)])
    }
}

private class SixtiethsScheduler: VirtualTimeScheduler<Sixtieths>, @unchecked Sendable {
    init(initialClock: Int) {
        super.init(initialClock: initialClock, converter: Sixtieths())
    }

    override func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
        return max(time, clock)
    }
}

private struct Sixtieths: VirtualTimeConverterType {
    typealias VirtualTimeUnit = Int
    typealias VirtualTimeIntervalUnit = Int

    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime {
        Date(timeIntervalSince1970: TimeInterval(virtualTime) / 60)
    }

    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit {
        Int((time.timeIntervalSince1970 * 60).rounded())
    }

    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval {
        TimeInterval(virtualTimeInterval) / 60
    }

    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit {
        Int((timeInterval * 60).rounded())
    }

    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit {
        time + offset
    }

    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison {
        if lhs < rhs { return .lessThan }
        return lhs > rhs ? .greaterThan : .equal
    }
}
