import FreshetCore
import XCTest

final class TakeTests: CoreTestCase {
    func testTakeCompletesWithItsLastElementAndDisposesOfTheSource() {
        let source = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let subscription = source.stream.take(2).subscribe(recorder)
        source.send(1, 2, 3)
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .completed])
        XCTAssertEqual(source.observers, 0)
        subscription.dispose()
    }

    func testAShorterSourceEndsTake() {
        XCTAssertEqual(Observable.of(1).take(2).record().events, [.next(1), .completed])
        XCTAssertEqual(Observable<Int>.error(Fault.first).take(2).record().events, [.error(Fault.first)])
    }

    func testTakeOfZeroDoesNotSubscribe() {
        let source = ControlledSource<Int>()
        XCTAssertEqual(source.stream.take(0).record().events, [.completed])
        XCTAssertEqual(source.subscriptions, 0)
    }

    func testAnElementSentInsideTheLastOneIsNotTaken() {
        let source = ControlledSource<Int>()
        let recorder = Recorder<Int> { if $0.element == 1 { source.send(2) } }
        let subscription = source.stream.take(1).subscribe(recorder)
        source.send(1)
        XCTAssertEqual(recorder.events, [.next(1), .completed])
        subscription.dispose()
    }

    func testAStreamThatTakeHasEndedIsNotEndedAgain() {
        let numbers = Observable.of(5, 6), others = Observable.of(7)
        let failing = numbers.take(1).map { _ -> Int in throw Fault.first }
        XCTAssertEqual(numbers.take(1).take(while: { $0 < 3 }).concat(others).record().elements, [7])
        XCTAssertEqual(failing.catch { _ in others }.record().elements, [7])
        XCTAssertEqual(failing.retry(2).record().events, [.error(Fault.first)])
        XCTAssertEqual(numbers.take(1).first().asObservable().record().events, [.next(5), .completed])
        let upToFive = numbers.take(until: { $0 == 5 }, behavior: .inclusive)
        XCTAssertEqual(upToFive.take(1).concat(others).record().elements, [5, 7])
        XCTAssertEqual(upToFive.map { _ -> Int in throw Fault.first }.catch { _ in others }.record().elements, [7])
    }

    func testTakeUntilCompletesWhenTheOtherStreamEmits() {
        let source = ControlledSource<Int>(), other = ControlledSource<String>()
        let recorder = Recorder<Int>()
        let subscription = source.stream.take(until: other.stream).subscribe(recorder)
        source.send(1, 2)
        other.send("stop")
        source.send(3)
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .completed])
        XCTAssertEqual([source.observers, other.observers], [0, 0])
        subscription.dispose()
    }

    func testTakeUntilIgnoresTheCompletionOfTheOtherStreamAndPassesItsError() {
        XCTAssertEqual(Observable.of(1, 2).take(until: Observable<Int>.empty()).record().elements, [1, 2])
        let failing = Observable.of(1).take(until: Observable<Int>.error(Fault.first)).record()
        XCTAssertEqual(failing.events, [.error(Fault.first)])
    }

    func testTheCompletionOfTheSourceDisposesOfTheOtherStream() {
        let source = ControlledSource<Int>(), other = ControlledSource<String>()
        let recorder = Recorder<Int>()
        let subscription = source.stream.take(until: other.stream).subscribe(recorder)
        source.complete()
        XCTAssertEqual(recorder.events, [.completed])
        XCTAssertEqual([source.observers, other.observers], [0, 0])
        subscription.dispose()
    }

    func testTakeUntilASynchronousStreamLeavesTheSourceUnsubscribed() {
        let source = ControlledSource<Int>()
        XCTAssertEqual(source.stream.take(until: Observable.just(0)).record().events, [.completed])
        XCTAssertEqual(source.subscriptions, 0)
    }

    func testTakeStopsAtAPredicate() {
        let numbers = Observable.of(1, 2, 3, 4)
        XCTAssertEqual(numbers.take(until: { $0 == 3 }).record().events, [.next(1), .next(2), .completed])
        XCTAssertEqual(numbers.take(until: { $0 == 3 }, behavior: .inclusive).record().elements, [1, 2, 3])
        XCTAssertEqual(numbers.take(while: { $0 < 3 }).record().events, [.next(1), .next(2), .completed])
        XCTAssertEqual(numbers.take(while: { $0 < 3 }, behavior: .inclusive).record().elements, [1, 2, 3])
        XCTAssertEqual(numbers.take(until: { _ in throw Fault.first }).record().events, [.error(Fault.first)])
    }

    func testAPauseReachesBothSources() {
        let source = ControlledSource<Int>(), other = ControlledSource<String>()
        let subscription = SerialDisposable()
        subscription.disposable = source.stream.take(until: other.stream).subscribe(Recorder<Int>())
        subscription.pause()
        subscription.resume()
        subscription.dispose()
        XCTAssertEqual(source.log, ["pause", "resume", "dispose"])
        XCTAssertEqual(other.log, ["pause", "resume", "dispose"])
    }
}
