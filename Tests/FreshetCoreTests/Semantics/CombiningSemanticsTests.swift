import FreshetCore
import FreshetTesting
import XCTest

final class CombiningSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testCombineLatestCompletesWhenNoFurtherResultIsPossible() {
        let first = scheduler.createHotObservable([.completed(215)] as [Recorded<Event<Int>>])
        let second = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .next(240, 3)])
        let result = scheduler.start { Observable.combineLatest(first, second) { $0 + $1 } }
        XCTAssertEqual(result.events, [.completed(230)])
        XCTAssertEqual(first.subscriptions, [Subscription(200, 215)])
        XCTAssertEqual(second.subscriptions, [Subscription(200, 230)])
    }

    func testCombineLatestKeepsTheLastElementOfAnEndedSource() {
        let first = scheduler.createHotObservable([.next(205, 10), .completed(215)])
        let second = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(240)])
        let result = scheduler.start { Observable.combineLatest(first, second) { $0 + $1 } }
        XCTAssertEqual(result.events, [.next(210, 11), .next(230, 12), .completed(240)])
    }

    func testAThrowingSelectorDisposesOfBothSources() {
        let first = scheduler.createHotObservable([.next(205, 10), .next(250, 11)])
        let second = scheduler.createHotObservable([.next(210, 1)])
        let result = scheduler.start {
            Observable.combineLatest(first, second) { _, _ -> Int in throw Fault.second }
        }
        XCTAssertEqual(result.events, [.error(210, Fault.second)])
        XCTAssertEqual(first.subscriptions, [Subscription(200, 210)])
        XCTAssertEqual(second.subscriptions, [Subscription(200, 210)])
    }

    func testZipCompletesWhenAllSourcesHaveCompleted() {
        let first = scheduler.createHotObservable([.next(205, 1), .completed(220)])
        let second = scheduler.createHotObservable([.next(210, 10), .next(230, 20), .completed(240)])
        let result = scheduler.start { Observable.zip(first, second) { $0 + $1 } }
        XCTAssertEqual(result.events, [.next(210, 11), .completed(240)])
        XCTAssertEqual(first.subscriptions, [Subscription(200, 220)])
        XCTAssertEqual(second.subscriptions, [Subscription(200, 240)])
    }

    func testWithLatestFromDropsElementsBeforeTheFirstOfTheOtherSource() {
        let first = scheduler.createHotObservable([.next(205, 1), .next(215, 2), .next(225, 3), .completed(240)])
        let second = scheduler.createHotObservable([.next(210, 10), .next(220, 20), .completed(230)])
        let result = scheduler.start { first.withLatestFrom(second) { $0 + $1 } }
        XCTAssertEqual(result.events, [.next(215, 12), .next(225, 23), .completed(240)])
        XCTAssertEqual(second.subscriptions, [Subscription(200, 230)])
    }

    func testMergeDisposesOfEachSourceAtItsEndAndOfAllAtAnError() {
        let first = scheduler.createHotObservable([.next(210, 1), .completed(220)])
        let second = scheduler.createHotObservable([.next(215, 2), .error(230, Fault.first)])
        let third = scheduler.createHotObservable([.next(225, 3), .next(240, 4)])
        let result = scheduler.start {
            Observable.merge(first.asObservable(), second.asObservable(), third.asObservable())
        }
        XCTAssertEqual(result.events, [.next(210, 1), .next(215, 2), .next(225, 3), .error(230, Fault.first)])
        XCTAssertEqual(first.subscriptions, [Subscription(200, 220)])
        XCTAssertEqual(third.subscriptions, [Subscription(200, 230)])
    }

    private func inner(_ number: Int) -> TestableObservable<Int> {
        scheduler.createColdObservable([.next(10, number), .next(30, number + 1), .completed(40)])
    }

    func testFlatMapRunsAllInnerStreamsConcurrently() {
        let inners = [inner(10), inner(20)]
        let source = scheduler.createHotObservable([.next(210, 0), .next(220, 1), .completed(225)])
        let result = scheduler.start { source.flatMap { inners[$0] } }
        XCTAssertEqual(
            result.events, [.next(220, 10), .next(230, 20), .next(240, 11), .next(250, 21), .completed(260)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 225)])
        XCTAssertEqual(inners.map(\.subscriptions), [[Subscription(210, 250)], [Subscription(220, 260)]])
    }

    func testFlatMapLatestDisposesOfThePreviousInnerStream() {
        let inners = [inner(10), inner(20)]
        let source = scheduler.createHotObservable([.next(210, 0), .next(230, 1), .completed(235)])
        let result = scheduler.start { source.flatMapLatest { inners[$0] } }
        XCTAssertEqual(result.events, [.next(220, 10), .next(240, 20), .next(260, 21), .completed(270)])
        XCTAssertEqual(inners.map(\.subscriptions), [[Subscription(210, 230)], [Subscription(230, 270)]])
    }

    func testFlatMapFirstDropsElementsWhileAnInnerStreamRuns() {
        let inners = [inner(10), inner(20), inner(30)]
        let source = scheduler.createHotObservable([.next(210, 0), .next(220, 1), .next(251, 2), .completed(255)])
        let result = scheduler.start { source.flatMapFirst { inners[$0] } }
        XCTAssertEqual(
            result.events, [.next(220, 10), .next(240, 11), .next(261, 30), .next(281, 31), .completed(291)])
        XCTAssertEqual(inners[1].subscriptions, [])
    }

    func testConcatMapStartsAnInnerStreamWhenThePreviousOneHasEnded() {
        let inners = [inner(10), inner(20)]
        let source = scheduler.createHotObservable([.next(210, 0), .next(220, 1), .completed(225)])
        let result = scheduler.start { source.concatMap { inners[$0] } }
        XCTAssertEqual(
            result.events, [.next(220, 10), .next(240, 11), .next(260, 20), .next(280, 21), .completed(290)])
        XCTAssertEqual(inners.map(\.subscriptions), [[Subscription(210, 250)], [Subscription(250, 290)]])
    }

    func testConcatStopsAtTheFirstError() {
        let first = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let second = scheduler.createColdObservable([.next(10, 2), .error(20, Fault.first)])
        let third = scheduler.createColdObservable([.next(10, 3)])
        let result = scheduler.start {
            Observable.concat(first.asObservable(), second.asObservable(), third.asObservable())
        }
        XCTAssertEqual(result.events, [.next(210, 1), .next(230, 2), .error(240, Fault.first)])
        XCTAssertEqual(first.subscriptions, [Subscription(200, 220)])
        XCTAssertEqual(second.subscriptions, [Subscription(220, 240)])
        XCTAssertEqual(third.subscriptions, [])
    }

    func testStartWithEmitsAtTheSubscription() {
        let source = scheduler.createHotObservable([.next(150, 0), .next(210, 1), .completed(250)])
        let result = scheduler.start { source.startWith(8, 9) }
        XCTAssertEqual(result.events, [.next(200, 8), .next(200, 9), .next(210, 1), .completed(250)])
    }

    func testTakeUntilCompletesAtAnElementOfTheOtherStreamAndIgnoresItsCompletion() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .next(250, 3)])
        let other = scheduler.createHotObservable([.next(240, ()), .completed(245)])
        let result = scheduler.start { source.take(until: other) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(230, 2), .completed(240)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 240)])
        XCTAssertEqual(other.subscriptions, [Subscription(200, 240)])
        let quiet = TestScheduler(initialClock: 0)
        let silent = quiet.createHotObservable([.completed(220)] as [Recorded<Event<Int>>])
        let numbers = quiet.createHotObservable([.next(210, 1), .next(230, 2), .completed(250)])
        let all = quiet.start { numbers.take(until: silent) }
        XCTAssertEqual(all.events, [.next(210, 1), .next(230, 2), .completed(250)])
        XCTAssertEqual(silent.subscriptions, [Subscription(200, 220)])
    }

    func testCombineLatestOfNoSourcesEmitsOneResult() {
        let none: [Observable<Int>] = []
        XCTAssertEqual(Observable<Int>.combineLatest(none).record().events.map(\.element), [[], nil])
        XCTAssertEqual(Observable.combineLatest(none) { $0.reduce(7, +) }.record().events, [.next(7), .completed])
        XCTAssertEqual(
            Observable<Int>.combineLatest(none) { _ in throw Fault.first }.record().events, [.error(Fault.first)])
        let infallible: [Infallible<Int>] = []
        XCTAssertEqual(
            Infallible.combineLatest(infallible) { $0.count }.asObservable().record().events, [.next(0), .completed])
    }

    func testZipOfNoSourcesCompletes() {
        let none: [Observable<Int>] = []
        XCTAssertEqual(Observable.zip(none) { $0.count }.record().events, [.completed])
    }
}
