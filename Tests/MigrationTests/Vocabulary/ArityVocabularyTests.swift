import Freshet
import XCTest

/// Tests every arity with an operator expression, a named closure and a function as its selector, and without one. No call has
/// a type annotation.
final class ArityVocabularyTests: VocabularyTestCase {
    private let a = Observable.just(1), b = Observable.just(2), c = Observable.just(3), d = Observable.just(4)
    private let e = Observable.just(5), f = Observable.just(6), g = Observable.just(7), h = Observable.just(8)

    func testCombineLatestInfersItsSelectorForTwoToEightSources() {
        let sum2 = Observable.combineLatest(a, b) { $0 + $1 }
        XCTAssertEqual(elements(of: sum2), [3])
        let sum3 = Observable.combineLatest(a, b, c) { $0 + $1 + $2 }
        XCTAssertEqual(elements(of: sum3), [6])
        let sum4 = Observable.combineLatest(a, b, c, d) { $0 + $1 + $2 + $3 }
        XCTAssertEqual(elements(of: sum4), [10])
        let sum5 = Observable.combineLatest(a, b, c, d, e) { $0 + $1 + $2 + $3 + $4 }
        XCTAssertEqual(elements(of: sum5), [15])
        let sum6 = Observable.combineLatest(a, b, c, d, e, f) { $0 + $1 + $2 + $3 + $4 + $5 }
        XCTAssertEqual(elements(of: sum6), [21])
        let sum7 = Observable.combineLatest(a, b, c, d, e, f, g) { $0 + $1 + $2 + $3 + $4 + $5 + $6 }
        XCTAssertEqual(elements(of: sum7), [28])
        let sum8 = Observable.combineLatest(a, b, c, d, e, f, g, h) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
        XCTAssertEqual(elements(of: sum8), [36])
    }

    func testCombineLatestEmitsTuplesOfTwoToEightSources() {
        let all2 = Observable.combineLatest(a, b).map { $0.0 + $0.1 }
        XCTAssertEqual(elements(of: all2), [3])
        let all3 = Observable.combineLatest(a, b, c).map { $0.0 + $0.1 + $0.2 }
        XCTAssertEqual(elements(of: all3), [6])
        let all4 = Observable.combineLatest(a, b, c, d).map { $0.0 + $0.1 + $0.2 + $0.3 }
        XCTAssertEqual(elements(of: all4), [10])
        let all5 = Observable.combineLatest(a, b, c, d, e).map { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 }
        XCTAssertEqual(elements(of: all5), [15])
        let all6 = Observable.combineLatest(a, b, c, d, e, f).map { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 + $0.5 }
        XCTAssertEqual(elements(of: all6), [21])
        let all7 = Observable.combineLatest(a, b, c, d, e, f, g).map { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 + $0.5 + $0.6 }
        XCTAssertEqual(elements(of: all7), [28])
        let all8 = Observable.combineLatest(a, b, c, d, e, f, g, h).map {
            $0.0 + $0.1 + $0.2 + $0.3 + $0.4 + $0.5 + $0.6 + $0.7
        }
        XCTAssertEqual(elements(of: all8), [36])
    }

    func testZipInfersItsSelectorForTwoToEightSources() {
        let sum2 = Observable.zip(a, b) { $0 + $1 }
        XCTAssertEqual(elements(of: sum2), [3])
        let sum3 = Observable.zip(a, b, c) { $0 + $1 + $2 }
        XCTAssertEqual(elements(of: sum3), [6])
        let sum4 = Observable.zip(a, b, c, d) { $0 + $1 + $2 + $3 }
        XCTAssertEqual(elements(of: sum4), [10])
        let sum5 = Observable.zip(a, b, c, d, e) { $0 + $1 + $2 + $3 + $4 }
        XCTAssertEqual(elements(of: sum5), [15])
        let sum6 = Observable.zip(a, b, c, d, e, f) { $0 + $1 + $2 + $3 + $4 + $5 }
        XCTAssertEqual(elements(of: sum6), [21])
        let sum7 = Observable.zip(a, b, c, d, e, f, g) { $0 + $1 + $2 + $3 + $4 + $5 + $6 }
        XCTAssertEqual(elements(of: sum7), [28])
        let sum8 = Observable.zip(a, b, c, d, e, f, g, h) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
        XCTAssertEqual(elements(of: sum8), [36])
    }

    func testZipEmitsTuplesOfTwoToEightSources() {
        let all2 = Observable.zip(a, b).map { $0.0 + $0.1 }
        XCTAssertEqual(elements(of: all2), [3])
        let all3 = Observable.zip(a, b, c).map { $0.0 + $0.1 + $0.2 }
        XCTAssertEqual(elements(of: all3), [6])
        let all4 = Observable.zip(a, b, c, d).map { $0.0 + $0.1 + $0.2 + $0.3 }
        XCTAssertEqual(elements(of: all4), [10])
        let all5 = Observable.zip(a, b, c, d, e).map { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 }
        XCTAssertEqual(elements(of: all5), [15])
        let all6 = Observable.zip(a, b, c, d, e, f).map { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 + $0.5 }
        XCTAssertEqual(elements(of: all6), [21])
        let all7 = Observable.zip(a, b, c, d, e, f, g).map { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 + $0.5 + $0.6 }
        XCTAssertEqual(elements(of: all7), [28])
        let all8 = Observable.zip(a, b, c, d, e, f, g, h).map { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 + $0.5 + $0.6 + $0.7 }
        XCTAssertEqual(elements(of: all8), [36])
    }

    func testSelectorsWithNamedArgumentsCompile() {
        let text = Observable.combineLatest(a, b, c, d, e, f, g, h) { a, b, c, d, e, f, g, h in
            "\(a)\(b)\(c)\(d)\(e)\(f)\(g)\(h)"
        }
        XCTAssertEqual(elements(of: text), ["12345678"])
        let zipped = Observable.zip(a, b, c, d, e, f, g, h) { (a, b, c, d, e, f, g, h) -> [Int] in
            let first = [a, b, c, d]
            return first + [e, f, g, h]
        }
        XCTAssertEqual(elements(of: zipped).first?.count, 8)
        let named = Observable.combineLatest(a, b, resultSelector: { first, second in first * second })
        XCTAssertEqual(elements(of: named), [2])
        let byFunction = Observable.zip(a, b, resultSelector: max)
        XCTAssertEqual(elements(of: byFunction), [2])
    }

    func testTheResultTypeIsInferredFromTheVariable() {
        let sum: Observable<Int> = .combineLatest(a, b, c, d, e, f, g, h) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
        let text: Observable<String> = .zip(a, Observable.just("x")) { "\($0)\($1)" }
        let pair: Observable<(Int, String)> = Observable.combineLatest(a, Observable.just("x"))
        XCTAssertEqual(elements(of: sum), [36])
        XCTAssertEqual(elements(of: text), ["1x"])
        XCTAssertEqual(elements(of: pair.map { number, text in text + "\(number)" }), ["x1"])
    }

    func testSelectorsWithConditionsOverManyFieldsCompile() {
        let name = Observable.just("ann"), age = Observable.just(30), mail = Observable.just("a@b")
        let agreed = Observable.just(true)
        let isValid = Observable.combineLatest(name, age, mail, agreed) { name, age, mail, agreed in
            !name.isEmpty && age > 18 && mail.contains("@") && agreed
        }
        XCTAssertEqual(elements(of: isValid), [true])
        let shorthand = Observable.combineLatest(name, age, mail, agreed) { !$0.isEmpty && $1 > 18 && $2 != "" && $3 }
        XCTAssertEqual(elements(of: shorthand), [true])
    }

    func testCollectionsAreCombinedAndZipped() {
        XCTAssertEqual(elements(of: Observable.combineLatest([a, b])), [[1, 2]])
        XCTAssertEqual(elements(of: Observable.combineLatest([a, b]) { $0.reduce(0, +) }), [3])
        XCTAssertEqual(elements(of: Observable.zip([a, b])), [[1, 2]])
        XCTAssertEqual(elements(of: Observable.zip([a, b]) { numbers in numbers.max() ?? 0 }), [2])
    }

    func testSinglesAndMaybesAreZipped() {
        let a = Single.just(1), b = Single.just(2), c = Single.just(3), d = Single.just(4)
        let e = Single.just(5), f = Single.just(6), g = Single.just(7), h = Single.just(8)
        XCTAssertEqual(elements(of: Single.zip(a, b) { $0 + $1 }), [3])
        XCTAssertEqual(elements(of: Single.zip(a, b, c) { $0 + $1 + $2 }), [6])
        XCTAssertEqual(elements(of: Single.zip(a, b, c, d) { $0 + $1 + $2 + $3 }), [10])
        XCTAssertEqual(elements(of: Single.zip(a, b, c, d, e) { $0 + $1 + $2 + $3 + $4 }), [15])
        XCTAssertEqual(elements(of: Single.zip(a, b, c, d, e, f) { $0 + $1 + $2 + $3 + $4 + $5 }), [21])
        XCTAssertEqual(elements(of: Single.zip(a, b, c, d, e, f, g) { $0 + $1 + $2 + $3 + $4 + $5 + $6 }), [28])
        XCTAssertEqual(elements(of: Single.zip(a, b, c, d, e, f, g, h) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }), [36])
        XCTAssertEqual(elements(of: Single.zip(a, b).map { $0.0 + $0.1 }), [3])
        XCTAssertEqual(elements(of: Single.zip(a, b, c).map { $0.0 + $0.1 + $0.2 }), [6])
        XCTAssertEqual(elements(of: Single.zip(a, b, c, d).map { $0.0 + $0.1 + $0.2 + $0.3 }), [10])
        XCTAssertEqual(elements(of: Single.zip(a, b, c, d, e).map { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 }), [15])
        XCTAssertEqual(elements(of: Single.zip(a, b, c, d, e, f).map { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 + $0.5 }), [21])
        XCTAssertEqual(
            elements(of: Single.zip(a, b, c, d, e, f, g).map { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 + $0.5 + $0.6 }), [28])
        XCTAssertEqual(
            elements(
                of: Single.zip(a, b, c, d, e, f, g, h).map { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 + $0.5 + $0.6 + $0.7 }),
            [36])
        let maybe = Maybe.just(1)
        let sum = Maybe.zip(maybe, maybe, maybe, maybe, maybe, maybe, maybe, maybe) {
            $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
        }
        XCTAssertEqual(elements(of: sum), [8])
        XCTAssertEqual(elements(of: Maybe.zip(maybe, Maybe.just("x")).map { "\($0.0)\($0.1)" }), ["1x"])
    }
}
