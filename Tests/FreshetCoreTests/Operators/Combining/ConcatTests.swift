import FreshetCore
import XCTest

final class ConcatTests: CoreTestCase {
    func testStreamsAreEmittedOneAfterTheOther() {
        XCTAssertEqual(
            Observable.concat(.of(1, 2), .of(3)).record().events, [.next(1), .next(2), .next(3), .completed])
        XCTAssertEqual(Observable.of(1).concat(Observable.of(2)).record().elements, [1, 2])
        XCTAssertEqual(Observable.of(Observable.of(1, 2), .of(3)).concat().record().elements, [1, 2, 3])
        XCTAssertEqual(Observable.of(3).startWith(1, 2).record().events, [.next(1), .next(2), .next(3), .completed])
    }

    func testTheNextStreamIsSubscribedToWhenThePreviousOneHasCompleted() {
        let a = ControlledSource<Int>(), b = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = a.stream.concat(b.stream).subscribe(recorder)
        XCTAssertEqual(b.subscriptions, 0)
        a.complete()
        XCTAssertEqual([a.observers, b.observers], [0, 1])
        b.send(1)
        subscription.dispose()
        XCTAssertEqual(b.observers, 0)
        XCTAssertEqual(recorder.events, [.next(1)])
    }

    func testAnErrorLeavesTheRemainingStreamsUnsubscribed() {
        let b = ControlledSource<Int>()
        XCTAssertEqual(Observable.error(Fault.first).concat(b.stream).record().events, [.error(Fault.first)])
        XCTAssertEqual(b.subscriptions, 0)
    }

    func testADisposalInsideAnElementOfStartWithLeavesTheSourceUnsubscribed() {
        let source = ControlledSource<Int>()
        XCTAssertEqual(source.stream.startWith(1, 2, 3).take(2).record().events, [.next(1), .next(2), .completed])
        XCTAssertEqual(source.subscriptions, 0)
    }

    func testAnInfiniteSequenceOfStreamsStopsAtTake() {
        let streams = (0...).lazy.map { Observable.just($0) }
        XCTAssertEqual(Observable.concat(streams).take(3).record().elements, [0, 1, 2])
    }

    func testTheNextStreamOfConcatWaitsForTheResume() {
        let a = ControlledSource<Int>(), b = ControlledSource<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = a.stream.concat(b.stream).subscribe(Recorder<Int>())
        subscription.pause()
        a.complete()
        XCTAssertEqual(a.log, ["pause", "dispose"])
        XCTAssertEqual(b.subscriptions, 0, "concat starts no stream during a pause")
        subscription.resume()
        XCTAssertEqual(b.subscriptions, 1)
        subscription.pause()
        XCTAssertEqual(b.log, ["pause"])
        subscription.dispose()
    }
}
