import Freshet
import XCTest

final class FilteringVocabularyTests: VocabularyTestCase {
    private let numbers = Observable.of(1, 2, 2, 3)

    func testFilteringOperatorsCompileAsInRxSwift() {
        XCTAssertEqual(elements(of: numbers.filter { $0 > 1 }), [2, 2, 3])
        XCTAssertEqual(elements(of: Observable.of(true, false).filter { $0 }), [true])
        let ignored: Observable<Never> = numbers.ignoreElements()
        XCTAssertEqual(events(of: ignored), [.completed])
        XCTAssertEqual(elements(of: numbers.element(at: 1)), [2])
        XCTAssertEqual(events(of: numbers.single()), [.next(1), .error(RxError.moreThanOneElement)])
        XCTAssertEqual(elements(of: numbers.single { $0 == 3 }), [3])
        XCTAssertEqual(elements(of: numbers.first()), [1])
        let first: Single<Int?> = Observable<Int>.empty().first()
        XCTAssertEqual(elements(of: first), [nil])
    }

    func testDistinctUntilChangedCompilesAsInRxSwift() {
        struct Pair: Equatable { var key: Int, value: Int }
        let pairs = Observable.of(Pair(key: 1, value: 1), Pair(key: 1, value: 2), Pair(key: 2, value: 2))
        XCTAssertEqual(elements(of: numbers.distinctUntilChanged()), [1, 2, 3])
        XCTAssertEqual(elements(of: pairs.distinctUntilChanged { $0.key }).map(\.value), [1, 2])
        XCTAssertEqual(elements(of: pairs.distinctUntilChanged { $0.key == $1.key }).map(\.value), [1, 2])
        XCTAssertEqual(
            elements(of: pairs.distinctUntilChanged({ $0.key }, comparer: { $0 == $1 })).map(\.value), [1, 2])
        XCTAssertEqual(elements(of: pairs.distinctUntilChanged(at: \.key)).map(\.value), [1, 2])
        XCTAssertEqual(elements(of: pairs.distinctUntilChanged(\.key)).map(\.value), [1, 2])
    }

    func testTakeCompilesAsInRxSwift() {
        let other = PublishSubject<Void>()
        XCTAssertEqual(elements(of: numbers.take(2)), [1, 2])
        XCTAssertEqual(elements(of: numbers.take(for: .seconds(1), scheduler: scheduler)), [1, 2, 2, 3])
        XCTAssertEqual(elements(of: numbers.take(until: other)), [1, 2, 2, 3])
        XCTAssertEqual(elements(of: numbers.take(until: { $0 == 2 })), [1])
        XCTAssertEqual(elements(of: numbers.take(until: { $0 == 2 }, behavior: .inclusive)), [1, 2])
        XCTAssertEqual(elements(of: numbers.take(while: { $0 < 3 })), [1, 2, 2])
        XCTAssertEqual(elements(of: numbers.take(while: { $0 < 2 }, behavior: .inclusive)), [1, 2])
        XCTAssertEqual(elements(of: numbers.takeLast(2)), [2, 3])
    }

    func testSkipCompilesAsInRxSwift() {
        XCTAssertEqual(elements(of: numbers.skip(2)), [2, 3])
        XCTAssertEqual(elements(of: numbers.skip(.seconds(1), scheduler: scheduler)), [])
        XCTAssertEqual(elements(of: numbers.skip(until: Observable.just(()))), [1, 2, 2, 3])
        XCTAssertEqual(elements(of: numbers.skip(while: { $0 < 2 })), [2, 2, 3])
        XCTAssertEqual(elements(of: numbers.skip { $0 < 2 }), [2, 2, 3])
    }

    func testDebounceThrottleAndSampleCompileAsInRxSwift() {
        let ticks = Observable<Int>.interval(.seconds(1), scheduler: scheduler).take(5)
        XCTAssertEqual(elements(of: ticks.debounce(.seconds(2), scheduler: scheduler)), [4])
        XCTAssertEqual(elements(of: ticks.throttle(.seconds(2), scheduler: scheduler)), [0, 2, 4])
        XCTAssertEqual(elements(of: ticks.throttle(.seconds(2), latest: false, scheduler: scheduler)), [0, 2, 4])
        let sampler = Observable<Int>.interval(.milliseconds(2500), scheduler: scheduler)
        XCTAssertEqual(elements(of: ticks.sample(sampler)), [1, 4])
        XCTAssertEqual(elements(of: Observable<Int>.never().sample(sampler, defaultValue: 7).take(1)), [7])
    }
}
