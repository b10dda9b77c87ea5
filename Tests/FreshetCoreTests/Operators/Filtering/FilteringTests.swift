import FreshetCore
import XCTest

final class FilteringTests: CoreTestCase {
    private let numbers = Observable.of(1, 1, 2, 3, 3, 1)

    func testDistinctUntilChangedDropsRepetitionsInAllItsOverloads() {
        XCTAssertEqual(numbers.distinctUntilChanged().record().elements, [1, 2, 3, 1])
        XCTAssertEqual(numbers.distinctUntilChanged { $0 / 2 }.record().elements, [1, 2, 1])
        XCTAssertEqual(numbers.distinctUntilChanged { $0 >= $1 }.record().elements, [1, 2, 3])
        XCTAssertEqual(numbers.distinctUntilChanged({ $0 % 2 }, comparer: ==).record().elements, [1, 2, 3])
        XCTAssertEqual(Observable.of("a", "b", "cc").distinctUntilChanged(at: \.count).record().elements, ["a", "cc"])
        let failing = numbers.distinctUntilChanged { _ -> Int in throw Fault.first }
        XCTAssertEqual(failing.record().events, [.error(Fault.first)])
    }

    func testSkipDropsTheFirstElements() {
        XCTAssertEqual(numbers.skip(4).record().events, [.next(3), .next(1), .completed])
        XCTAssertEqual(numbers.skip(0).record().elements.count, 6)
        XCTAssertEqual(numbers.skip(9).record().events, [.completed])
        XCTAssertEqual(numbers.skip(while: { $0 < 3 }).record().elements, [3, 3, 1])
        XCTAssertEqual(numbers.skip(while: { _ in throw Fault.first }).record().events, [.error(Fault.first)])
    }

    func testSkipUntilDropsElementsUntilTheOtherStreamEmits() {
        let source = ControlledSource<Int>(), other = ControlledSource<String>()
        let recorder = Recorder<Int>()
        let subscription = source.stream.skip(until: other.stream).subscribe(recorder)
        source.send(1)
        other.send("go")
        XCTAssertEqual(other.observers, 0)
        source.send(2)
        source.complete()
        XCTAssertEqual(recorder.events, [.next(2), .completed])
        subscription.dispose()
    }

    func testASkippedSourceThatCompletesEarlyEmitsNothingAndDisposesOfTheOther() {
        let source = ControlledSource<Int>(), other = ControlledSource<String>()
        let recorder = Recorder<Int>()
        let subscription = source.stream.skip(until: other.stream).subscribe(recorder)
        source.complete()
        XCTAssertEqual(recorder.events, [])
        XCTAssertEqual(other.observers, 0)
        subscription.dispose()
    }

    func testTakeLastEmitsTheLastElementsAtTheEnd() {
        XCTAssertEqual(numbers.takeLast(2).record().events, [.next(3), .next(1), .completed])
        XCTAssertEqual(numbers.takeLast(0).record().events, [.completed])
        XCTAssertEqual(numbers.takeLast(9).record().elements.count, 6)
        XCTAssertEqual(numbers.takeLast(3).take(1).record().events, [.next(3), .completed])
    }

    func testElementAtEmitsTheElementAtTheIndex() {
        XCTAssertEqual(numbers.element(at: 2).record().events, [.next(2), .completed])
        XCTAssertEqual(numbers.element(at: 6).record().events, [.error(RxError.argumentOutOfRange)])
        XCTAssertEqual(numbers.first().asObservable().record().events, [.next(1), .completed])
        XCTAssertEqual(Observable<Int>.empty().first().asObservable().record().events, [.next(nil), .completed])
    }

    func testSingleFailsUnlessThereIsExactlyOneElement() {
        XCTAssertEqual(Observable.just(1).single().record().events, [.next(1), .completed])
        XCTAssertEqual(numbers.single().record().events, [.next(1), .error(RxError.moreThanOneElement)])
        XCTAssertEqual(numbers.single { $0 == 2 }.record().events, [.next(2), .completed])
        XCTAssertEqual(numbers.single { $0 == 9 }.record().events, [.error(RxError.noElements)])
        XCTAssertEqual(Observable.just(1).asSingle().asObservable().record().events, [.next(1), .completed])
        XCTAssertEqual(Observable<Int>.empty().asSingle().asObservable().record().events, [.error(RxError.noElements)])
        XCTAssertEqual(numbers.asMaybe().asObservable().record().events, [.error(RxError.moreThanOneElement)])
        XCTAssertEqual(Observable<Int>.empty().asMaybe().asObservable().record().events, [.completed])
    }

    func testSingleStopsAnInfiniteStreamAtTheSecondElement() {
        let single = Observable.from(0...).asSingle().asObservable()
        XCTAssertEqual(single.record().events, [.error(RxError.moreThanOneElement)])
        XCTAssertEqual(Observable.from(0...).element(at: 5).record().events, [.next(5), .completed])
        XCTAssertEqual(Observable.from(0...).first().asObservable().record().events, [.next(0), .completed])
    }

    func testIfEmptyReplacesAnEmptyStream() {
        XCTAssertEqual(Observable<Int>.empty().ifEmpty(default: 5).record().events, [.next(5), .completed])
        XCTAssertEqual(numbers.ifEmpty(default: 5).record().elements.count, 6)
        let replaced = Observable<Int>.empty().ifEmpty(switchTo: .of(1, 2))
        XCTAssertEqual(replaced.record().events, [.next(1), .next(2), .completed])
        XCTAssertEqual(numbers.ifEmpty(switchTo: .of(9)).record().elements.count, 6)
        XCTAssertEqual(Observable<Int>.empty().ifEmpty(switchTo: .empty()).record().events, [.completed])
        XCTAssertEqual(numbers.ignoreElements().record().events.count, 1)
    }

    func testEnumeratedNumbersAndToArrayCollectsElements() {
        XCTAssertEqual(numbers.enumerated().record().elements.map(\.index), [0, 1, 2, 3, 4, 5])
        XCTAssertEqual(numbers.toArray().asObservable().record().events, [.next([1, 1, 2, 3, 3, 1]), .completed])
        XCTAssertEqual(Observable<Int>.empty().toArray().asObservable().record().events, [.next([]), .completed])
    }
}
