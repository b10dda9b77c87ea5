import FreshetCore
import XCTest

/// Tests the forms in which programs call `combineLatest` and `zip`, without type annotations.
final class InfallibleArityTests: CoreTestCase {
    private let one = Infallible.just(1)
    private let text = Infallible.just("x")

    func testCombineLatestAppliesASelectorToTwoToEightSources() {
        let two = Infallible.combineLatest(one, text) { "\($0)\($1)" }
        let three = Infallible.combineLatest(one, one, one) { $0 + $1 + $2 }
        let four = Infallible.combineLatest(one, one, one, one) { $0 + $1 + $2 + $3 }
        let five = Infallible.combineLatest(one, one, one, one, one) { $0 + $1 + $2 + $3 + $4 }
        let six = Infallible.combineLatest(one, one, one, one, one, one) { $0 + $1 + $2 + $3 + $4 + $5 }
        let seven = Infallible.combineLatest(one, one, one, one, one, one, one) { $0 + $1 + $2 + $3 + $4 + $5 + $6 }
        let eight = Infallible.combineLatest(one, one, one, one, one, one, one, one) {
            $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
        }
        XCTAssertEqual(two.record().events, [.next("1x"), .completed])
        XCTAssertEqual(
            [three, four, five, six, seven, eight].flatMap { $0.record().elements }, [3, 4, 5, 6, 7, 8])
    }

    func testCombineLatestEmitsTuplesOfTwoToEightSources() {
        let a = Infallible.combineLatest(one, text)
        let b = Infallible.combineLatest(one, text, one)
        let c = Infallible.combineLatest(one, text, one, text)
        let d = Infallible.combineLatest(one, text, one, text, one)
        let e = Infallible.combineLatest(one, text, one, text, one, text)
        let f = Infallible.combineLatest(one, text, one, text, one, text, one)
        let g = Infallible.combineLatest(one, text, one, text, one, text, one, text)
        XCTAssertEqual("\(a.record().elements)", #"[(1, "x")]"#)
        XCTAssertEqual("\(b.record().elements)", #"[(1, "x", 1)]"#)
        XCTAssertEqual("\(c.record().elements)", #"[(1, "x", 1, "x")]"#)
        XCTAssertEqual("\(d.record().elements)", #"[(1, "x", 1, "x", 1)]"#)
        XCTAssertEqual("\(e.record().elements)", #"[(1, "x", 1, "x", 1, "x")]"#)
        XCTAssertEqual("\(f.record().elements)", #"[(1, "x", 1, "x", 1, "x", 1)]"#)
        XCTAssertEqual("\(g.record().elements)", #"[(1, "x", 1, "x", 1, "x", 1, "x")]"#)
    }

    func testZipAppliesASelectorToTwoToEightSources() {
        let two = Infallible.zip(one, text) { "\($0)\($1)" }
        let three = Infallible.zip(one, one, one) { $0 + $1 + $2 }
        let four = Infallible.zip(one, one, one, one) { $0 + $1 + $2 + $3 }
        let five = Infallible.zip(one, one, one, one, one) { $0 + $1 + $2 + $3 + $4 }
        let six = Infallible.zip(one, one, one, one, one, one) { $0 + $1 + $2 + $3 + $4 + $5 }
        let seven = Infallible.zip(one, one, one, one, one, one, one) { $0 + $1 + $2 + $3 + $4 + $5 + $6 }
        let eight = Infallible.zip(one, one, one, one, one, one, one, one) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }
        let literal = Infallible.zip(.just(1), .just(2)) { $0 + $1 }
        XCTAssertEqual(two.record().events, [.next("1x"), .completed])
        XCTAssertEqual(
            [three, four, five, six, seven, eight, literal].flatMap { $0.record().elements }, [3, 4, 5, 6, 7, 8, 3])
    }

    func testZipEmitsTuplesOfTwoToEightSources() {
        let a = Infallible.zip(one, text)
        let b = Infallible.zip(one, text, one)
        let c = Infallible.zip(one, text, one, text)
        let d = Infallible.zip(one, text, one, text, one)
        let e = Infallible.zip(one, text, one, text, one, text)
        let f = Infallible.zip(one, text, one, text, one, text, one)
        let g = Infallible.zip(one, text, one, text, one, text, one, text)
        XCTAssertEqual("\(a.record().elements)", #"[(1, "x")]"#)
        XCTAssertEqual("\(b.record().elements)", #"[(1, "x", 1)]"#)
        XCTAssertEqual("\(c.record().elements)", #"[(1, "x", 1, "x")]"#)
        XCTAssertEqual("\(d.record().elements)", #"[(1, "x", 1, "x", 1)]"#)
        XCTAssertEqual("\(e.record().elements)", #"[(1, "x", 1, "x", 1, "x")]"#)
        XCTAssertEqual("\(f.record().elements)", #"[(1, "x", 1, "x", 1, "x", 1)]"#)
        XCTAssertEqual("\(g.record().elements)", #"[(1, "x", 1, "x", 1, "x", 1, "x")]"#)
    }

    func testEightSourcesOfDifferentTypesAreCombined() {
        let sum = Infallible.combineLatest(
            Infallible.just(1), Infallible.just("2"), Infallible.just(3.0), Infallible.just(true),
            Infallible.just([5]), Infallible.just(6 as Int8), Infallible.just("7" as Character),
            Infallible.just(8 as UInt)
        ) { a, b, c, d, e, f, g, h in "\(a)\(b)\(c)\(d)\(e)\(f)\(g)\(h)" }
        XCTAssertEqual(sum.record().elements, ["123.0true[5]678"])
    }

    func testACollectionOfSourcesIsCombinedOrZipped() {
        let streams = [Infallible.of(1, 2), .of(10, 20)]
        XCTAssertEqual(Infallible.combineLatest(streams).record().elements, [[1, 10], [2, 10], [2, 20]])
        XCTAssertEqual(Infallible.combineLatest(streams) { $0.reduce(0, +) }.record().elements, [11, 12, 22])
        XCTAssertEqual(Infallible.combineLatest([Infallible<Int>]()).record().events, [.next([]), .completed])
        XCTAssertEqual(Infallible.zip(streams).record().events, [.next([1, 10]), .next([2, 20]), .completed])
        XCTAssertEqual(Infallible.zip(streams) { $0.reduce(0, +) }.record().elements, [11, 22])
    }
}
