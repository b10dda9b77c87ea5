import FreshetCore
import FreshetTesting
import XCTest

final class AuditTests: CoreTestCase {
    private let source = ControlledSource<Int>(), duration = ControlledSource<String>()

    private var audited: Observable<Int> { source.stream.audit { [duration] _ in duration.stream } }

    func testTheLatestElementIsEmittedWhenTheDurationEnds() {
        let recorder = Recorder<Int>()
        let subscription = audited.subscribe(recorder)
        XCTAssertEqual(duration.subscriptions, 0)
        source.send(1, 2, 3)
        XCTAssertEqual(duration.subscriptions, 1)
        XCTAssertEqual(recorder.elements, [])
        duration.send("over")
        XCTAssertEqual(recorder.elements, [3])
        XCTAssertEqual(duration.observers, 0)
        source.send(4)
        duration.complete()
        XCTAssertEqual(recorder.elements, [3, 4])
        subscription.dispose()
    }

    func testTheCompletionWaitsForTheRunningDuration() {
        let recorder = Recorder<Int>()
        let subscription = audited.subscribe(recorder)
        source.send(1)
        source.complete()
        XCTAssertEqual(recorder.events, [])
        duration.send("over")
        XCTAssertEqual(recorder.events, [.next(1), .completed])
        subscription.dispose()
        XCTAssertEqual(Observable<Int>.empty().audit { _ in Observable<Int>.never() }.record().events, [.completed])
    }

    func testAnErrorOfTheSourceOrTheDurationEndsEverythingAtOnce() {
        for fail in [{ [source] in source.fail() }, { [duration] in duration.fail() }] as [@Sendable () -> Void] {
            let recorder = Recorder<Int>()
            let subscription = audited.subscribe(recorder)
            source.send(1)
            fail()
            XCTAssertEqual(recorder.events, [.error(Fault.first)])
            XCTAssertEqual([source.observers, duration.observers], [0, 0])
            subscription.dispose()
        }
    }

    func testASynchronousDurationPassesEachElement() {
        let numbers = Observable.range(start: 0, count: 1000)
        XCTAssertEqual(numbers.audit { _ in Observable.just(()) }.record().elements, Array(0..<1000))
    }

    func testAnElementSentInsideAnElementStartsTheNextDuration() {
        let recorder = Recorder<Int> { [source] event in if event.element == 1 { source.send(2) } }
        let subscription = audited.subscribe(recorder)
        source.send(1)
        duration.send("over")
        XCTAssertEqual(recorder.elements, [1])
        duration.send("over")
        XCTAssertEqual(recorder.elements, [1, 2])
        subscription.dispose()
    }

    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)

    private func events(_ source: String, _ make: (Observable<String>) -> Observable<String>) -> String {
        let stream = make(scheduler.createHotObservable(Marble.events(source, from: 200)).asObservable())
        return Marble.text(of: scheduler.start(disposed: 230) { stream }.events, from: 200)
    }

    func testAnErrorDropsTheWaitingElement() {
        XCTAssertEqual(events("-a-b#") { [scheduler] in $0.audit(.seconds(5), scheduler: scheduler) }, "----#")
    }

    func testACompletionWithoutAWaitingElementIsEmittedAtOnce() {
        XCTAssertEqual(events("-a---|") { [scheduler] in $0.audit(.seconds(2), scheduler: scheduler) }, "---a-|")
    }

    func testAnEndedSourceIsReleasedBeforeItsLatestElementIsEmitted() {
        let source = scheduler.createHotObservable([.next(210, 1), .completed(220)])
        let result = scheduler.start { [scheduler] in source.audit(.seconds(30), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(240, 1), .completed(240)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
    }

    func testSamplePeriodsStayAlignedAfterAPause() {
        let subject = PublishSubject<Int>()
        let observer = scheduler.createObserver(Int.self)
        let subscription = SerialDisposable()
        subscription.disposable = subject.sample(.seconds(10), scheduler: scheduler).subscribe(observer)
        subject.onNext(1)
        scheduler.advanceTo(10)
        subscription.pause()
        subject.onNext(2)
        scheduler.advanceTo(44)
        XCTAssertEqual(observer.events, [.next(10, 1)])
        subscription.resume()
        scheduler.advanceTo(45)
        subject.onNext(3)
        scheduler.advanceTo(50)
        XCTAssertEqual(observer.events, [.next(10, 1), .next(44, 2), .next(50, 3)])
        subscription.dispose()
    }

    func testSampleEmitsTheLastElementOnlyWithEmitLast() {
        let stream = Observable.of(1, 2)
        let dropping = stream.sample(.seconds(1), scheduler: scheduler)
        let keeping = stream.sample(.seconds(1), emitLast: true, scheduler: scheduler)
        XCTAssertEqual(dropping.record().events, [.completed])
        XCTAssertEqual(keeping.record().events, [.next(2), .completed])
        XCTAssertEqual(keeping.take(1).record().events, [.next(2), .completed])
    }

    /// Each missed period was one step of a loop, so that a hundred million of them took a minute.
    func testSampleSkipsAllMissedPeriodsAtOnce() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let subject = PublishSubject<Int>()
        let observer = scheduler.createObserver(Int.self)
        let subscription = subject.sample(.seconds(1), scheduler: scheduler).subscribe(observer)
        scheduler.sleep(100_000_000)
        let start = ContinuousClock.now
        subject.onNext(1)
        scheduler.advanceBy(0)
        XCTAssertEqual(observer.events, [.next(100_000_000, 1)])
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(2))
        subscription.dispose()
    }
}
