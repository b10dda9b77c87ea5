import Freshet
import XCTest

final class CombiningVocabularyTests: VocabularyTestCase {
    private let one = Observable.just(1)
    private let two = Observable.just(2)

    func testMergeCompilesAsInRxSwift() {
        XCTAssertEqual(elements(of: Observable.merge(one, two)), [1, 2])
        XCTAssertEqual(elements(of: Observable.merge([one, two])), [1, 2])
        XCTAssertEqual(elements(of: Observable.merge(AnyCollection([one, two]))), [1, 2])
        XCTAssertEqual(elements(of: Observable.of(one, two).merge()), [1, 2])
        XCTAssertEqual(elements(of: Observable.from([one, two]).merge(maxConcurrent: 1)), [1, 2])
        let typed: Observable<Int> = .merge(one, two)
        XCTAssertEqual(elements(of: typed), [1, 2])
    }

    func testConcatCompilesAsInRxSwift() {
        XCTAssertEqual(elements(of: one.concat(two)), [1, 2])
        XCTAssertEqual(elements(of: one.concat(Single.just(2))), [1, 2])
        XCTAssertEqual(elements(of: Observable.concat(one, two)), [1, 2])
        XCTAssertEqual(elements(of: Observable.concat([one, two])), [1, 2])
        XCTAssertEqual(elements(of: Observable.concat(AnySequence([one, two]))), [1, 2])
        XCTAssertEqual(elements(of: Observable.of(one, two).concat()), [1, 2])
        XCTAssertEqual(elements(of: two.startWith(1)), [1, 2])
        XCTAssertEqual(elements(of: two.startWith(0, 1)), [0, 1, 2])
        let typed: Observable<Int> = .concat([.just(1), .just(2)])
        XCTAssertEqual(elements(of: typed), [1, 2])
    }

    func testSwitchAmbAndWithLatestFromCompileAsInRxSwift() {
        XCTAssertEqual(elements(of: Observable.of(one, two).switchLatest()), [1, 2])
        XCTAssertEqual(elements(of: Observable.never().amb(two)), [2])
        XCTAssertEqual(elements(of: Observable.amb([Observable.never(), two])), [2])
        XCTAssertEqual(elements(of: one.withLatestFrom(two)), [2])
        XCTAssertEqual(elements(of: one.withLatestFrom(two) { $0 + $1 }), [3])
        XCTAssertEqual(elements(of: one.withLatestFrom(two, resultSelector: { ($0, $1) }).map { $0.0 * $0.1 }), [2])
        XCTAssertEqual(elements(of: one.withLatestFrom(Single.just("x"))), ["x"])
        XCTAssertEqual(elements(of: Observable.empty().ifEmpty(default: 1)), [1])
        XCTAssertEqual(elements(of: Observable.empty().ifEmpty(switchTo: two)), [2])
    }
}
