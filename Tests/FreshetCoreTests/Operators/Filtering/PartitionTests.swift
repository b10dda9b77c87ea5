import FreshetCore
import XCTest

final class PartitionTests: CoreTestCase {
    func testBothPartsShareOneSubscription() {
        let source = ControlledSource<Int>()
        let calls = Log<Int>()
        let (even, odd) = source.stream.partition { number in
            calls.append(number)
            return number.isMultiple(of: 2)
        }
        let evens = Recorder<Int>(), odds = Recorder<Int>()
        let subscriptions = [even.subscribe(evens), odd.subscribe(odds)]
        source.send(1, 2, 3)
        XCTAssertEqual(source.subscriptions, 1)
        XCTAssertEqual(calls.all, [1, 2, 3])
        source.complete()
        XCTAssertEqual(evens.events, [.next(2), .completed])
        XCTAssertEqual(odds.events, [.next(1), .next(3), .completed])
        subscriptions.forEach { $0.dispose() }
    }

    func testAnErrorOfThePredicateFailsBothParts() {
        let source = ControlledSource<Int?>()
        let parts = source.stream.partition { number in
            if number == 0 { throw Fault.first }
            return number == nil
        }
        let some = Recorder<Int?>(), none = Recorder<Int?>()
        let subscriptions = [parts.nonMatches.subscribe(some), parts.matches.subscribe(none)]
        source.send(1, nil, 0)
        XCTAssertEqual(some.events, [.next(1), .error(Fault.first)])
        XCTAssertEqual(none.events, [.next(nil), .error(Fault.first)])
        XCTAssertEqual(source.observers, 0)
        subscriptions.forEach { $0.dispose() }
    }
}
