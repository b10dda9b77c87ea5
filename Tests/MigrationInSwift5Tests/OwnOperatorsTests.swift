import Freshet
import XCTest

/// Tests that operators of a program's own, as RxSwiftExt has them, are selected before those of Freshet.
final class OwnOperatorsTests: XCTestCase {
    func testAnOwnOperatorIsSelectedBeforeOneThatRxSwiftDoesNotHave() {
        let numbers = Observable.of(1, 1, 2)
        let (even, odd) = numbers.partition { $0 % 2 == 0 }
        XCTAssertEqual(elements(of: even), [-2])
        XCTAssertEqual(elements(of: odd), [-1, -1])
        XCTAssertEqual(elements(of: numbers.pairwise().map { $0.0 + $0.1 }), [0])
        XCTAssertEqual(elements(of: numbers.distinct()), [0])
        XCTAssertEqual(elements(of: numbers.mapError { $0 }), [0])
    }

    private func elements(of numbers: Observable<Int>) -> [Int] {
        var elements: [Int] = []
        numbers.subscribe(onNext: { elements.append($0) }).dispose()
        return elements
    }
}

extension ObservableType {
    fileprivate func pairwise() -> Observable<(Int, Int)> { .just((0, 0)) }

    fileprivate func mapError(_ transform: @escaping (any Error) throws -> any Error) -> Observable<Int> { .just(0) }
}

extension ObservableType where Element == Int {
    fileprivate func partition(
        _ predicate: @escaping (Int) throws -> Bool
    ) -> (matches: Observable<Int>, nonMatches: Observable<Int>) {
        (filter { try predicate($0) }.map { -$0 }, filter { try !predicate($0) }.map { -$0 })
    }
}

extension ObservableType where Element: Hashable {
    fileprivate func distinct() -> Observable<Int> { .just(0) }
}
