import FreshetCore
import FreshetTesting
import XCTest

final class SubjectSemanticsTests: CoreTestCase {
    /// The events of three observers: one from the beginning to 350, one from 300 on, and one that subscribes after the end.
    private func observe(
        _ subject: Observable<Int>,
        _ events: [Recorded<Event<Int>>], sink: @escaping (Event<Int>) -> Void
    ) -> [[Recorded<Event<Int>>]] {
        let scheduler = TestScheduler(initialClock: 0)
        let observers = (0..<3).map { _ in scheduler.createObserver(Int.self) }
        for recorded in events { scheduler.scheduleAt(recorded.time) { sink(recorded.value) } }
        var first: (any Disposable)?
        scheduler.scheduleAt(200) { first = subject.subscribe(observers[0]) }
        scheduler.scheduleAt(300) { _ = subject.subscribe(observers[1]) }
        scheduler.scheduleAt(350) { first?.dispose() }
        scheduler.scheduleAt(600) { _ = subject.subscribe(observers[2]) }
        scheduler.start()
        return observers.map(\.events)
    }

    private let script: [Recorded<Event<Int>>] = [
        .next(100, 1), .next(250, 2), .next(320, 3), .next(400, 4), .error(500, Fault.first), .next(550, 5),
    ]

    func testAPublishSubjectEmitsLaterElementsAndItsStopEvent() {
        let subject = PublishSubject<Int>()
        XCTAssertEqual(
            observe(subject, script, sink: subject.on),
            [
                [.next(250, 2), .next(320, 3)], [.next(320, 3), .next(400, 4), .error(500, Fault.first)],
                [.error(600, Fault.first)],
            ])
        XCTAssertFalse(subject.hasObservers)
    }

    func testABehaviorSubjectStartsWithItsValue() {
        let subject = BehaviorSubject(value: 0)
        XCTAssertEqual(
            observe(subject, script, sink: subject.on),
            [
                [.next(200, 1), .next(250, 2), .next(320, 3)],
                [.next(300, 2), .next(320, 3), .next(400, 4), .error(500, Fault.first)], [.error(600, Fault.first)],
            ])
        XCTAssertThrowsError(try subject.value()) { XCTAssertEqual($0 as? Fault, .first) }
    }

    func testAReplaySubjectStartsWithTheLastElementsEvenAfterItsEnd() {
        let subject = ReplaySubject<Int>.create(bufferSize: 2)
        XCTAssertEqual(
            observe(subject, script, sink: subject.on),
            [
                [.next(200, 1), .next(250, 2), .next(320, 3)],
                [.next(300, 1), .next(300, 2), .next(320, 3), .next(400, 4), .error(500, Fault.first)],
                [.next(600, 3), .next(600, 4), .error(600, Fault.first)],
            ])
    }

    func testAReplaySubjectOfSizeZeroReplaysOnlyTheStopEvent() {
        let subject = ReplaySubject<Int>.create(bufferSize: 0)
        subject.onNext(1)
        subject.onCompleted()
        subject.onNext(2)
        XCTAssertEqual(subject.record().events, [.completed])
    }

    func testAnAsyncSubjectEmitsTheLastElementAtTheEnd() {
        let subject = AsyncSubject<Int>()
        let done = script.filter { $0.time < 500 } + [.completed(500)]
        XCTAssertEqual(
            observe(subject, done, sink: subject.on),
            [[], [.next(500, 4), .completed(500)], [.next(600, 4), .completed(600)]])
    }

    func testADisposedSubjectFailsNewObservers() {
        let subject = PublishSubject<Int>()
        let before = Recorder<Int>()
        let subscription = subject.subscribe(before)
        subject.dispose()
        subject.onNext(1)
        XCTAssertEqual(before.events, [])
        XCTAssertTrue(subject.isDisposed)
        guard case .disposed? = subject.record().error as? RxError else { return XCTFail("not RxError.disposed") }
        subscription.dispose()
    }

    func testACompletedBehaviorSubjectReturnsItsLastValue() throws {
        let subject = BehaviorSubject(value: 1)
        subject.onNext(2)
        subject.onCompleted()
        subject.onNext(3)
        XCTAssertEqual(try subject.value(), 2)
        XCTAssertEqual(subject.record().events, [.completed])
    }
}
