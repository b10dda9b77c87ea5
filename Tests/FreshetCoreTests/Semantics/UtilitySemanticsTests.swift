import FreshetTesting
import XCTest

@testable import FreshetCore

final class UtilitySemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testObserveOnDeliversOneEventPerTurn() {
        let result = scheduler.start { [scheduler] in Observable.of(1, 2, 3).observe(on: scheduler) }
        XCTAssertEqual(result.events, [.next(201, 1), .next(202, 2), .next(203, 3), .completed(204)])
    }

    func testObserveOnReleasesTheSourceWhenItEnds() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .error(230, Fault.first)])
        let result = scheduler.start { [scheduler] in source.observe(on: scheduler) }
        XCTAssertEqual(result.events, [.next(211, 1), .next(221, 2), .error(231, Fault.first)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 230)])
    }

    func testAnErrorThatWaitsInObserveOnStopsTheSource() {
        let calls = Log<Int>()
        let result = scheduler.start { [scheduler] in
            Observable<Int>.create { observer in
                for number in 1...4 { observer.onNext(number) }
                return Disposables.create()
            }.map { number -> Int in
                calls.append(number)
                if number == 2 { throw Fault.first }
                return number
            }.observe(on: scheduler)
        }
        XCTAssertEqual(result.events, [.next(201, 1), .error(202, Fault.first)])
        XCTAssertEqual(calls.all, [1, 2])
    }

    func testObserveOnTheCurrentThreadTakesTurns() {
        let first = Observable.of(1, 2).observe(on: CurrentThreadScheduler.instance)
        let second = Observable.of(11, 12).observe(on: CurrentThreadScheduler.instance)
        XCTAssertEqual(Observable.merge(first, second).record().elements, [1, 11, 2, 12])
    }

    func testSubscribeOnSubscribesAndDisposesAUnitLater() {
        let source = scheduler.createHotObservable([.next(200, 0), .next(210, 1), .completed(300)])
        let result = scheduler.start { [scheduler] in source.subscribe(on: scheduler) }
        XCTAssertEqual(result.events, [.next(210, 1), .completed(300)])
        XCTAssertEqual(source.subscriptions, [Subscription(201, 301)])
    }

    func testSubscribeOnDisposesOnTheScheduler() {
        let source = scheduler.createHotObservable([.next(210, 1)])
        let result = scheduler.start { [scheduler] in source.map { $0 * 2 }.subscribe(on: scheduler) }
        XCTAssertEqual(result.events, [.next(210, 2)])
        XCTAssertEqual(source.subscriptions, [Subscription(201, 1001)])
    }

    func testAnOperatorBeforeSubscribeOnDisposesOfItsSourceAtOnce() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
        let result = scheduler.start { [scheduler] in source.take(1).subscribe(on: scheduler) }
        XCTAssertEqual(result.events, [.next(210, 1), .completed(210)])
        XCTAssertEqual(source.subscriptions, [Subscription(201, 210)])
    }

    private func watched(_ source: Observable<Int>, _ log: Log<String>) -> Observable<Int> {
        source.do(
            onNext: { log.append("next \($0)") }, afterNext: { log.append("after \($0)") },
            onError: { _ in log.append("error") }, afterError: { _ in log.append("after error") },
            onCompleted: { log.append("completed") }, afterCompleted: { log.append("after completed") },
            onSubscribe: { log.append("subscribe") }, onSubscribed: { log.append("subscribed") },
            onDispose: { log.append("dispose") })
    }

    func testDoCallsItsClosuresInOrderForASynchronousSource() {
        let log = Log<String>()
        _ = watched(.just(1), log).subscribe(
            onNext: { _ in log.append("observer") }, onCompleted: { log.append("observer done") },
            onDisposed: { log.append("observer disposed") })
        XCTAssertEqual(
            log.all,
            [
                "subscribe", "next 1", "observer", "after 1", "completed", "observer done", "observer disposed",
                "after completed", "subscribed", "dispose",
            ])
    }

    func testDoCallsItsClosuresInOrderForASubject() {
        let log = Log<String>()
        let subject = PublishSubject<Int>()
        _ = watched(subject, log).subscribe(onError: { _ in log.append("observer error") })
        subject.onNext(1)
        subject.onError(Fault.first)
        XCTAssertEqual(
            log.all,
            ["subscribe", "subscribed", "next 1", "after 1", "error", "observer error", "after error", "dispose"])
    }

    func testDoCallsOnDisposeOnce() {
        let log = Log<String>()
        let subscription = watched(.never(), log).subscribe()
        subscription.dispose()
        subscription.dispose()
        XCTAssertEqual(log.all, ["subscribe", "subscribed", "dispose"])
    }

    func testAnErrorThrownInDoReplacesTheEvent() {
        let source = scheduler.createHotObservable([.next(210, 1), .completed(220)])
        let result = scheduler.start { source.do(onCompleted: { throw Fault.second }) }
        XCTAssertEqual(result.events, [.next(210, 1), .error(220, Fault.second)])
        let after = TestScheduler(initialClock: 0)
        let hot = after.createHotObservable([.next(210, 1), .next(215, 2)])
        let thrown = after.start { hot.do(afterNext: { _ in throw Fault.first }) }
        XCTAssertEqual(thrown.events, [.next(210, 1), .error(210, Fault.first)])
        XCTAssertEqual(hot.subscriptions, [Subscription(200, 210)])
    }

    func testDebugPrintsTheCompletionAndThenTheDisposal() {
        let log = Log<String>()
        _ = Observable.just(1).debug(trimOutput: false) { log.append($0) }.subscribe(onCompleted: { log.append("-") })
        XCTAssertEqual(log.all, ["subscribed", "Event next(1)", "Event completed", "-", "isDisposed"])
    }

    func testMaterializeCompletesAfterTheStopEvent() {
        let source = scheduler.createHotObservable([.next(210, 1), .error(250, Fault.first), .next(260, 2)])
        let result = scheduler.start { source.materialize() }
        XCTAssertEqual(result.events.map(\.time), [210, 250, 250])
        XCTAssertEqual(result.events.compactMap { $0.value.element }, [.next(1), .error(Fault.first)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 250)])
    }

    func testASubscriptionWithAnObjectDoesNotRetainIt() {
        final class Owner {}
        var owner: Owner? = Owner()
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        if let owner {
            _ = subject.withUnretained(owner).map(\.1).subscribe(
                onNext: { log.append("\($0)") }, onCompleted: { log.append("completed") })
            _ = subject.subscribe(with: owner, onNext: { log.append("with \($1)") })
        }
        subject.onNext(1)
        owner = nil
        subject.onNext(2)
        XCTAssertEqual(log.all, ["1", "with 1", "completed"])
        subject.onCompleted()
    }
}
