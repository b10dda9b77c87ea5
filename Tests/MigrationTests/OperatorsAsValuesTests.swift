import Freshet
import XCTest

/// Tests operators and static functions that are passed as values. In Swift 5 mode the compiler takes them for functions that
/// are not `Sendable`, and warns, unless the upcoming feature `InferSendableFromCaptures` is on.
final class OperatorsAsValuesTests: VocabularyTestCase {
    private let numbers = Observable.of(1, 2, 3)

    func testFunctionsArePassedAsTransforms() {
        XCTAssertEqual(elements(of: Observable.of(true, false).map(!)), [false, true])
        XCTAssertEqual(elements(of: numbers.map(Double.init)), [1, 2, 3])
    }

    func testOperatorsArePassedAsAccumulators() {
        XCTAssertEqual(elements(of: numbers.scan(0, accumulator: +)), [1, 3, 6])
        XCTAssertEqual(elements(of: numbers.reduce(0, accumulator: +)), [6])
        XCTAssertEqual(elements(of: numbers.reduce(0, accumulator: +, mapResult: { "\($0)" })), ["6"])
    }

    func testOperatorsArePassedAsComparersAndSelectors() {
        XCTAssertEqual(elements(of: numbers.distinctUntilChanged(==)), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.distinctUntilChanged({ $0 % 2 }, comparer: ==)), [1, 2, 3])
        XCTAssertEqual(
            elements(of: Observable.combineLatest(Observable.just(1), numbers, resultSelector: +)), [2, 3, 4])
        XCTAssertEqual(elements(of: Observable.zip(numbers, numbers, resultSelector: *)), [1, 4, 9])
    }
}
