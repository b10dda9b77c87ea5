import FreshetCore
import FreshetTesting
import XCTest

final class FilteringSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)
    private lazy var source = scheduler.createHotObservable([
        .next(150, 0), .next(210, 1), .next(220, 2), .next(230, 2), .next(240, 3), .completed(300),
    ])

    func testTakeCompletesWithItsLastElement() {
        XCTAssertEqual(
            scheduler.start { self.source.take(2) }.events, [.next(210, 1), .next(220, 2), .completed(220)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
    }

    func testTakeOfZeroDoesNotSubscribe() {
        XCTAssertEqual(scheduler.start { self.source.take(0) }.events, [.completed(200)])
        XCTAssertEqual(source.subscriptions, [])
    }

    func testSkipOfANegativeCountSkipsNothing() {
        let all: [Recorded<Event<Int>>] = [
            .next(210, 1), .next(220, 2), .next(230, 2), .next(240, 3), .completed(300),
        ]
        XCTAssertEqual(scheduler.start { self.source.skip(-1) }.events, all)
    }

    func testSkipOfMoreElementsThanThereAreEmitsOnlyTheCompletion() {
        XCTAssertEqual(scheduler.start { self.source.skip(9) }.events, [.completed(300)])
    }

    func testDistinctUntilChangedDropsElementsEqualToThePreviousOne() {
        XCTAssertEqual(
            scheduler.start { self.source.distinctUntilChanged() }.events,
            [.next(210, 1), .next(220, 2), .next(240, 3), .completed(300)])
    }

    func testAThrowingClosureFailsTheStreamAtItsElement() {
        let streams: [@Sendable (Observable<Int>) -> Observable<Int>] = [
            { $0.map { if $0 == 2 { throw Fault.first } else { $0 } } },
            { $0.filter { if $0 == 2 { throw Fault.first } else { true } } },
            { $0.compactMap { if $0 == 2 { throw Fault.first } else { $0 } } },
            { $0.scan(0) { if $1 == 2 { throw Fault.first } else { $1 } } },
            { $0.distinctUntilChanged { _, _ in throw Fault.first } },
            { $0.flatMap { if $0 == 2 { throw Fault.first } else { Observable.just($0) } } },
            { $0.flatMapLatest { if $0 == 2 { throw Fault.first } else { Observable.just($0) } } },
            { $0.flatMapFirst { if $0 == 2 { throw Fault.first } else { Observable.just($0) } } },
            { $0.concatMap { if $0 == 2 { throw Fault.first } else { Observable.just($0) } } },
            { $0.take(until: { if $0 == 2 { throw Fault.first } else { false } }) },
            { $0.do(onNext: { if $0 == 2 { throw Fault.first } }) },
        ]
        for stream in streams {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3)])
            XCTAssertEqual(
                scheduler.start { stream(source.asObservable()) }.events, [.next(210, 1), .error(220, Fault.first)])
            XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
        }
    }

    func testReduceEmitsAtTheEnd() {
        XCTAssertEqual(
            scheduler.start { self.source.reduce(10, accumulator: +) }.events, [.next(300, 18), .completed(300)])
    }

    func testAThrowingReductionFailsAtItsElement() {
        XCTAssertEqual(
            scheduler.start { self.source.reduce(0) { if $1 == 2 { throw Fault.first } else { $0 + $1 } } }.events,
            [.error(220, Fault.first)])
    }

    func testToArrayEmitsAtTheEnd() {
        XCTAssertEqual(scheduler.start { self.source.toArray() }.events, [.next(300, [1, 2, 2, 3]), .completed(300)])
    }

    func testScanDoesNotEmitTheSeed() {
        XCTAssertEqual(
            scheduler.start { self.source.scan(100, accumulator: +) }.events,
            [.next(210, 101), .next(220, 103), .next(230, 105), .next(240, 108), .completed(300)])
    }
}
