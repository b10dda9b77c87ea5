import FreshetCore
import XCTest

final class MapTests: CoreTestCase {
    private let numbers = Observable.of(1, 2, 3, 4)

    func testMapFilterAndCompactMapPassElementsAndTheCompletion() {
        XCTAssertEqual(numbers.map { $0 * 2 }.record().events, [.next(2), .next(4), .next(6), .next(8), .completed])
        XCTAssertEqual(numbers.filter { $0.isMultiple(of: 2) }.record().events, [.next(2), .next(4), .completed])
        let words = numbers.compactMap { $0 == 3 ? nil : "\($0)" }
        XCTAssertEqual(words.record().events, [.next("1"), .next("2"), .next("4"), .completed])
    }

    func testAnErrorThrownByAClosureFailsTheStreamAndDisposesOfTheSource() {
        let source = ControlledSource<Int>()
        let streams = [
            source.stream.map { if $0 == 2 { throw Fault.first } else { $0 } },
            source.stream.filter { if $0 == 2 { throw Fault.first } else { true } },
            source.stream.compactMap { if $0 == 2 { throw Fault.first } else { $0 } },
            source.stream.scan(0) { if $1 == 2 { throw Fault.first } else { $1 } },
        ]
        for stream in streams {
            let recorder = Recorder<Int>()
            let subscription = stream.subscribe(recorder)
            source.send(1, 2, 3)
            XCTAssertEqual(recorder.events, [.next(1), .error(Fault.first)])
            XCTAssertEqual(source.observers, 0)
            subscription.dispose()
        }
    }

    func testScanEmitsEachResultAndReduceTheLast() {
        XCTAssertEqual(numbers.scan(10, accumulator: +).record().elements, [11, 13, 16, 20])
        XCTAssertEqual(numbers.scan(into: [Int]()) { $0.append($1) }.record().elements.last, [1, 2, 3, 4])
        XCTAssertEqual(numbers.reduce(0, accumulator: +).record().events, [.next(10), .completed])
        let text = numbers.reduce(0, accumulator: +, mapResult: { "\($0)" })
        XCTAssertEqual(text.record().events, [.next("10"), .completed])
        XCTAssertEqual(Observable<Int>.empty().reduce(7, accumulator: +).record().events, [.next(7), .completed])
    }

    func testReduceEmitsNothingAfterADisposalInsideItsElement() {
        XCTAssertEqual(numbers.reduce(0, accumulator: +).take(1).record().events, [.next(10), .completed])
        let failing = numbers.reduce(0, accumulator: +, mapResult: { _ -> Int in throw Fault.first })
        XCTAssertEqual(failing.record().events, [.error(Fault.first)])
    }
}
