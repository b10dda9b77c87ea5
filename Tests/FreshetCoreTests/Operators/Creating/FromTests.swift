import FreshetCore
import XCTest

final class FromTests: CoreTestCase {
    func testASequenceEmitsItsElementsInOrderAndCompletes() {
        XCTAssertEqual(Observable.from([1, 2, 3]).record().events, [.next(1), .next(2), .next(3), .completed])
        XCTAssertEqual(Observable.of(1, 2).record().events, [.next(1), .next(2), .completed])
        XCTAssertEqual(Observable<Int>.from([]).record().events, [.completed])
        XCTAssertEqual(Observable.from(stride(from: 0, to: 6, by: 2)).record().elements, [0, 2, 4])
    }

    func testEachSubscriptionReceivesAllElements() {
        let stream = Observable.from([1, 2])
        XCTAssertEqual(stream.record().elements, [1, 2])
        XCTAssertEqual(stream.record().elements, [1, 2])
    }

    func testAnOptionalEmitsOneElementOrNone() {
        XCTAssertEqual(Observable<Int>.from(optional: 1).record().events, [.next(1), .completed])
        XCTAssertEqual(Observable<Int>.from(optional: nil).record().events, [.completed])
        let immediate = ImmediateScheduler.instance
        XCTAssertEqual(Observable<Int>.from(optional: 1, scheduler: immediate).record().events, [.next(1), .completed])
        XCTAssertEqual(Observable<Int>.from(optional: nil, scheduler: immediate).record().events, [.completed])
    }

    func testAnInfiniteSequenceStopsAtTake() {
        XCTAssertEqual(Observable.from(0...).take(3).record().events, [.next(0), .next(1), .next(2), .completed])
        let immediate = Observable.from(0..., scheduler: ImmediateScheduler.instance)
        XCTAssertEqual(immediate.take(3).record().events, [.next(0), .next(1), .next(2), .completed])
    }

    func testAnInfiniteSequenceStopsAtADisposalInsideAnElement() {
        let subscription = SingleAssignmentDisposable()
        let recorder = Recorder<Int> { if $0.element == 2 { subscription.dispose() } }
        CurrentThreadScheduler.instance.schedule(()) { _ in
            subscription.setDisposable(Observable.from(0...).subscribe(recorder))
            return Disposables.create()
        }.dispose()
        XCTAssertEqual(recorder.events, [.next(0), .next(1), .next(2)])
    }

    func testASequenceEmitsNothingBetweenPauseAndResume() {
        let subscription = SerialDisposable()
        let recorder = Recorder<Int> { if let element = $0.element, element % 2 == 1 { subscription.pause() } }
        CurrentThreadScheduler.instance.schedule(()) { _ in
            subscription.disposable = Observable.from(0..<6).subscribe(recorder)
            return Disposables.create()
        }.dispose()
        XCTAssertEqual(recorder.elements, [0, 1])
        subscription.resume()
        XCTAssertEqual(recorder.elements, [0, 1, 2, 3])
        subscription.resume()
        XCTAssertEqual(recorder.elements, [0, 1, 2, 3, 4, 5])
        XCTAssertFalse(recorder.hasCompleted)
        subscription.resume()
        XCTAssertTrue(recorder.hasCompleted)
        subscription.dispose()
    }
}
