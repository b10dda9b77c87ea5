import FreshetCore
import FreshetTesting
import XCTest

/// Tests when a `concatMap` pauses its source, and for how long.
final class FullConcatMapTests: CoreTestCase {
    func testTheFirstStreamPausesTheSourceWithoutAWaitingElement() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let emitted = scheduler.createObserver(Int.self)
        let subscription = Observable.from(1...3).do(onNext: { emitted.onNext($0) })
            .concatMap { Observable.just($0).delay(.seconds(10), scheduler: scheduler) }.subscribe()
        scheduler.start()
        XCTAssertEqual(emitted.events, [.next(0, 1), .next(10, 2), .next(20, 3)])
        subscription.dispose()
    }

    func testThePauseEndsWhenNoStreamRunsAndNoElementWaits() throws {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let emitted = scheduler.createObserver(Int.self)
        let subject = PublishSubject<Int>()
        let ticks = Observable<Int>.interval(.seconds(3), scheduler: scheduler)
        let subscription = Observable.merge(subject, ticks).do(onNext: { emitted.onNext($0) })
            .concatMap { Observable.just($0).delay(.seconds(10), scheduler: scheduler) }.subscribe()
        scheduler.scheduleAt(1) { for number in 100..<104 { subject.onNext(number) } }
        scheduler.advanceTo(45)
        let times = emitted.events.map(\.time)
        XCTAssertEqual(times.prefix(4), [1, 1, 1, 1])
        XCTAssertGreaterThan(try XCTUnwrap(times.dropFirst(4).first), 40, "the interval waits for the four streams")
        subscription.dispose()
    }
}
