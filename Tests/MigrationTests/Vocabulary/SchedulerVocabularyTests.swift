import Dispatch
import Freshet
import FreshetTesting
import XCTest

final class SchedulerVocabularyTests: VocabularyTestCase {
    func testDispatchQueueSchedulersRunWork() throws {
        let schedulers: [SchedulerType] = [
            MainScheduler.instance, MainScheduler.asyncInstance, ConcurrentMainScheduler.instance,
            SerialDispatchQueueScheduler(qos: .background),
            SerialDispatchQueueScheduler(qos: .default, internalSerialQueueName: "own"),
            SerialDispatchQueueScheduler(internalSerialQueueName: "own"),
            SerialDispatchQueueScheduler(queue: .global(), internalSerialQueueName: "own"),
            ConcurrentDispatchQueueScheduler(qos: .userInitiated),
            ConcurrentDispatchQueueScheduler(queue: DispatchQueue(label: "own", attributes: .concurrent)),
        ]
        for scheduler in schedulers.dropFirst(3) {
            let numbers = Observable.of(1, 2).observe(on: scheduler).subscribe(on: scheduler)
            XCTAssertEqual(try numbers.toBlocking(timeout: 10).toArray(), [1, 2])
        }
        MainScheduler.ensureExecutingOnScheduler()
        MainScheduler.ensureRunningOnMainThread(errorMessage: "not here")
    }

    func testOtherSchedulersRunWork() throws {
        let immediate: [ImmediateSchedulerType] = [
            CurrentThreadScheduler.instance, OperationQueueScheduler(operationQueue: OperationQueue()),
            OperationQueueScheduler(operationQueue: OperationQueue(), queuePriority: .high),
        ]
        for scheduler in immediate {
            XCTAssertEqual(try Observable.of(1, 2).observe(on: scheduler).toBlocking(timeout: 10).toArray(), [1, 2])
        }
        XCTAssertTrue(CurrentThreadScheduler.isScheduleRequired)
        let historical = HistoricalScheduler(initialClock: Date(timeIntervalSince1970: 0))
        let start: RxTime = historical.clock
        historical.advanceTo(start.addingTimeInterval(10))
        historical.start()
        XCTAssertEqual(historical.clock, Date(timeIntervalSince1970: 10))
    }

    func testWorkIsScheduledAsInRxSwift() {
        let seen = scheduler.createObserver(Int.self)
        let bag = DisposeBag()
        scheduler.schedule(1) { number in
            seen.onNext(number)
            return Disposables.create()
        }.disposed(by: bag)
        scheduler.scheduleRelative(2, dueTime: .seconds(10)) { number in
            seen.onNext(number)
            return Disposables.create()
        }.disposed(by: bag)
        scheduler.schedulePeriodic(3, startAfter: .seconds(20), period: .seconds(10)) { number in
            seen.onNext(number)
            return number + 1
        }.disposed(by: bag)
        scheduler.scheduleRecursive(0) { number, recurse in
            seen.onNext(number)
            if number < 2 { recurse(number + 1) }
        }.disposed(by: bag)
        scheduler.scheduleAt(5) { seen.onNext(9) }
        scheduler.advanceTo(35)
        XCTAssertEqual(seen.events.map(\.value.element), [1, 0, 1, 2, 9, 2, 3, 4])
    }

    func testAVirtualTimeSchedulerUsesAnOwnConverter() {
        let months = VirtualTimeScheduler(initialClock: 0, converter: Months())
        let seen = months.schedulerLog
        _ = months.scheduleRelativeVirtual((), dueTime: 2) { _ in
            seen.onNext(2)
            return Disposables.create()
        }
        _ = months.scheduleAbsoluteVirtual((), time: 1) { _ in
            seen.onNext(1)
            return Disposables.create()
        }
        months.start()
        XCTAssertEqual(months.clock, 2)
        XCTAssertEqual(elements(of: seen.take(2)), [1, 2])
    }
}

extension VirtualTimeScheduler {
    fileprivate var schedulerLog: ReplaySubject<Int> { ReplaySubject<Int>.create(bufferSize: 2) }
}

private struct Months: VirtualTimeConverterType {
    typealias VirtualTimeUnit = Int
    typealias VirtualTimeIntervalUnit = Int

    func convertFromVirtualTime(_ virtualTime: Int) -> RxTime { Date(timeIntervalSince1970: Double(virtualTime) * 2e6) }
    func convertToVirtualTime(_ time: RxTime) -> Int { Int(time.timeIntervalSince1970 / 2e6) }
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval {
        Double(virtualTimeInterval) * 2e6
    }
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int { Int(timeInterval / 2e6) }
    func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }
    func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
    }
}
