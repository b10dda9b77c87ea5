import FreshetCore
import FreshetTesting
import XCTest

final class CreatingSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testTheDisposableOfCreateIsDisposedOfAtTheStopEventOrTheDisposal() {
        let times = Log<Int>()
        let source = Observable<Int>.create { [scheduler] observer in
            scheduler.scheduleAt(250) { observer.onNext(1) }
            scheduler.scheduleAt(300) { observer.onCompleted() }
            scheduler.scheduleAt(310) { observer.onNext(2) }
            return Disposables.create { times.append(scheduler.clock) }
        }
        let result = scheduler.start { source }
        XCTAssertEqual(result.events, [.next(250, 1), .completed(300)])
        XCTAssertEqual(times.all, [300])
        let early = TestScheduler(initialClock: 0)
        let ends = Log<Int>()
        _ = early.start(disposed: 220) {
            Observable<Int>.create { _ in Disposables.create { ends.append(early.clock) } }
        }
        XCTAssertEqual(ends.all, [220])
    }

    func testASourceThatEndsInsideTheSubscribingCallIsDisposedOfAfterIt() {
        let log = Log<String>()
        _ = Observable<Int>.create { observer in
            observer.onError(Fault.first)
            observer.onNext(1)
            log.append("subscribed")
            return Disposables.create { log.append("disposed") }
        }.subscribe(onNext: { _ in log.append("next") }, onError: { _ in log.append("error") })
        XCTAssertEqual(log.all, ["error", "subscribed", "disposed"])
    }

    func testSequencesScheduleEachElementAndTheCompletion() {
        let from = scheduler.start { [scheduler] in Observable.from([1, 2], scheduler: scheduler) }
        XCTAssertEqual(from.events, [.next(201, 1), .next(202, 2), .completed(203)])
        let just = TestScheduler(initialClock: 0)
        XCTAssertEqual(
            just.start { Observable.just(1, scheduler: just) }.events, [.next(201, 1), .completed(202)])
        let none = TestScheduler(initialClock: 0)
        XCTAssertEqual(
            none.start { Observable<Int>.from(optional: nil, scheduler: none) }.events, [.completed(201)])
        let range = TestScheduler(initialClock: 0)
        XCTAssertEqual(
            range.start { Observable.range(start: 7, count: 0, scheduler: range) }.events, [.completed(201)])
        let endless = TestScheduler(initialClock: 0)
        XCTAssertEqual(
            endless.start(disposed: 204) { Observable.repeatElement(0, scheduler: endless) }.events,
            [.next(201, 0), .next(202, 0), .next(203, 0)])
    }

    func testTheFactoryOfADeferredStreamRunsForEachSubscription() {
        let calls = Log<Int>()
        let source = Observable<Int>.deferred { [scheduler] in
            calls.append(scheduler.clock)
            return .just(scheduler.clock)
        }
        XCTAssertEqual(calls.all, [])
        let result = scheduler.start { source.concat(source) }
        XCTAssertEqual(result.events, [.next(200, 200), .next(200, 200), .completed(200)])
        XCTAssertEqual(calls.all, [200, 200])
        XCTAssertEqual(Observable<Int>.deferred { throw Fault.first }.record().events, [.error(Fault.first)])
    }

    func testEmptyErrorAndNeverEmitTheirEvents() {
        XCTAssertEqual(Observable<Int>.empty().record().events, [.completed])
        XCTAssertEqual(Observable<Int>.error(Fault.second).record().events, [.error(Fault.second)])
        XCTAssertEqual(scheduler.start { Observable<Int>.never() }.events, [])
    }

    func testAResourceIsDisposedOfAfterItsStream() {
        let log = Log<String>()
        let source = Observable<Int>.create { _ in Disposables.create { log.append("source") } }
        Observable<Int>.using {
            AnyResource(log)
        } observableFactory: { _ in
            source
        }.subscribe().dispose()
        XCTAssertEqual(log.all, ["source", "resource"])
        XCTAssertEqual(
            Observable<Int>.using {
                AnyResource(log)
            } observableFactory: { _ in
                throw Fault.first
            }.record().events,
            [.error(Fault.first)])
        XCTAssertEqual(log.all, ["source", "resource", "resource"])
    }
}

private final class AnyResource: Disposable {
    private let log: Log<String>

    init(_ log: Log<String>) {
        self.log = log
    }

    func dispose() {
        log.append("resource")
    }
}
