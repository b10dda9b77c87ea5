import FreshetCore
import FreshetTesting
import XCTest

final class EmissionTests: CoreTestCase {
    func testEachElementIsScheduledSeparately() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.start { Observable.of(1, 2, 3, scheduler: scheduler) }
        XCTAssertEqual(observer.events, [.next(201, 1), .next(202, 2), .next(203, 3), .completed(204)])
    }

    func testADisposalBetweenTwoElementsCancelsTheNext() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.start(disposed: 203) {
            Observable.range(start: 1, count: 9, scheduler: scheduler)
        }
        XCTAssertEqual(observer.events, [.next(201, 1), .next(202, 2)])
    }

    func testAPauseStopsASequenceOnAScheduler() {
        let scheduler = TestScheduler(initialClock: 0)
        let recorder = Recorder<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = Observable.of(1, 2, 3, scheduler: scheduler).subscribe(recorder)
        scheduler.advanceTo(1)
        subscription.pause()
        scheduler.advanceTo(10)
        XCTAssertEqual(recorder.elements, [1])
        subscription.resume()
        scheduler.start()
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .next(3), .completed])
        subscription.dispose()
    }

    func testHotStreamsAreMergedAndCombinedInTheOrderOfTheirTimes() {
        let scheduler = TestScheduler(initialClock: 0)
        let a = scheduler.createHotObservable([.next(150, 0), .next(210, 1), .next(230, 3), .completed(250)])
        let b = scheduler.createHotObservable([.next(220, 20), .next(230, 30), .completed(240)])
        let merged = scheduler.createObserver(Int.self), zipped = scheduler.createObserver(Int.self)
        let combined = scheduler.createObserver(Int.self)
        let bag = CompositeDisposable()
        scheduler.scheduleAt(200) {
            bag.insert(Observable.merge(a.asObservable(), b.asObservable()).subscribe(merged))
            bag.insert(Observable.zip(a, b) { $0 + $1 }.subscribe(zipped))
            bag.insert(Observable.combineLatest(a, b) { $0 + $1 }.subscribe(combined))
        }
        scheduler.start()
        XCTAssertEqual(
            merged.events,
            [.next(210, 1), .next(220, 20), .next(230, 3), .next(230, 30), .completed(250)])
        XCTAssertEqual(zipped.events, [.next(220, 21), .next(230, 33), .completed(250)])
        XCTAssertEqual(combined.events, [.next(220, 21), .next(230, 23), .next(230, 33), .completed(250)])
        bag.dispose()
    }
}
