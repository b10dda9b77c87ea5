import Freshet
import XCTest

final class TransformingVocabularyTests: VocabularyTestCase {
    private let numbers = Observable.of(1, 2, 3)

    func testMappingOperatorsCompileAsInRxSwift() {
        XCTAssertEqual(elements(of: numbers.map { $0 * 2 }), [2, 4, 6])
        XCTAssertEqual(elements(of: numbers.map(String.init)), ["1", "2", "3"])
        XCTAssertEqual(elements(of: numbers.map(\.description)), ["1", "2", "3"])
        XCTAssertEqual(
            elements(
                of: numbers.map { number -> String in
                    let text = "\(number)"
                    return text + text
                }), ["11", "22", "33"])
        XCTAssertEqual(elements(of: numbers.compactMap { $0 > 1 ? "\($0)" : nil }), ["2", "3"])
        XCTAssertEqual(elements(of: Observable.of("1", "x").compactMap(Int.init)), [1])
        XCTAssertEqual(elements(of: Observable.of(1, nil).compactMap { $0 }), [1])
        XCTAssertEqual(elements(of: numbers.enumerated().map { $0.index * $0.element }), [0, 2, 6])
        XCTAssertEqual(elements(of: numbers.enumerated().map { index, element in index * element }), [0, 2, 6])
    }

    func testScanAndReduceCompileAsInRxSwift() {
        XCTAssertEqual(elements(of: numbers.scan(0) { $0 + $1 }), [1, 3, 6])
        XCTAssertEqual(elements(of: numbers.scan(0, accumulator: { $0 + $1 })), [1, 3, 6])
        XCTAssertEqual(elements(of: numbers.scan(into: [Int]()) { $0.append($1) }), [[1], [1, 2], [1, 2, 3]])
        XCTAssertEqual(
            elements(of: numbers.scan(into: []) { (all: inout [Int], next) in all.append(next) }).last, [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.reduce(0) { $0 + $1 }), [6])
        XCTAssertEqual(elements(of: numbers.reduce(0, accumulator: { $0 + $1 }, mapResult: { "\($0)" })), ["6"])
        XCTAssertEqual(elements(of: numbers.toArray()), [[1, 2, 3]])
        let list: Single<[Int]> = numbers.toArray()
        XCTAssertEqual(elements(of: list.map(\.count)), [3])
    }

    func testFlatteningOperatorsCompileAsInRxSwift() {
        XCTAssertEqual(elements(of: numbers.flatMap { Observable.just($0 * 2) }), [2, 4, 6])
        XCTAssertEqual(elements(of: numbers.flatMap { Single.just($0) }), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.flatMap { _ in Maybe<Int>.empty() }), [])
        XCTAssertEqual(elements(of: numbers.flatMapLatest { Observable.just($0) }), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.flatMapFirst { Observable.just($0) }), [1, 2, 3])
        XCTAssertEqual(elements(of: numbers.concatMap { Observable.of($0, $0) }), [1, 1, 2, 2, 3, 3])
        let typed: Observable<String> = numbers.flatMap { number -> Observable<String> in
            guard number > 1 else { return .empty() }
            return .just("\(number)")
        }
        XCTAssertEqual(elements(of: typed), ["2", "3"])
        let completed: Observable<Never> = numbers.flatMap { _ in Completable.empty() }
        XCTAssertEqual(events(of: completed), [.completed])
    }

    func testBufferAndWindowCompileAsInRxSwift() {
        let ticks = Observable<Int>.interval(.seconds(1), scheduler: scheduler).take(4)
        XCTAssertEqual(
            elements(of: ticks.buffer(timeSpan: .seconds(10), count: 2, scheduler: scheduler)), [[0, 1], [2, 3], []])
        let windows = ticks.window(timeSpan: .seconds(10), count: 2, scheduler: scheduler)
            .flatMap { $0.toArray() }
        XCTAssertEqual(elements(of: windows), [[0, 1], [2, 3], []])
    }

    func testGroupByCompilesAsInRxSwift() {
        let groups: Observable<GroupedObservable<Bool, Int>> = numbers.groupBy { $0 > 1 }
        let texts = groups.flatMap { group in group.map { "\(group.key) \($0)" } }
        XCTAssertEqual(elements(of: texts), ["false 1", "true 2", "true 3"])
        let counted = numbers.groupBy(keySelector: { $0 % 2 }).flatMap { $0.asObservable().toArray() }
        XCTAssertEqual(elements(of: counted), [[1, 3], [2]])
    }

    func testMaterializeAndDematerializeCompileAsInRxSwift() {
        XCTAssertEqual(elements(of: Observable.just(1).materialize()), [.next(1), .completed])
        XCTAssertEqual(elements(of: Observable.just(1).materialize().dematerialize()), [1])
        XCTAssertEqual(elements(of: numbers.materialize().map { $0.element }), [1, 2, 3, nil])
    }

    func testDecodeCompilesAsInRxSwift() {
        struct Item: Decodable, Equatable { let name: String }
        let data = Observable.just(Data(#"{"name": "one"}"#.utf8))
        XCTAssertEqual(elements(of: data.decode(type: Item.self, decoder: JSONDecoder())), [Item(name: "one")])
    }
}
