import FreshetCore
import FreshetTesting
import XCTest

final class TraitSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testASingleCallsOnDisposedWithItsElement() {
        let log = Log<String>()
        _ = Single.just(1).observe(on: scheduler).subscribe(
            onSuccess: { [scheduler] in log.append("\($0) at \(scheduler.clock)") },
            onDisposed: { [scheduler] in log.append("disposed at \(scheduler.clock)") })
        scheduler.start()
        XCTAssertEqual(log.all, ["1 at 1", "disposed at 1"])
    }

    func testTheStreamOfASingleEmitsTheElementAndTheCompletion() {
        let result = scheduler.start { [scheduler] in Single.just(1).delay(.seconds(5), scheduler: scheduler) }
        XCTAssertEqual(result.events, [.next(205, 1), .completed(206)])
    }

    func testAsSingleFailsUnlessTheStreamHasOneElement() {
        let counts: [(Observable<Int>, [Event<Int>])] = [
            (.just(1), [.next(1), .completed]), (.empty(), [.error(RxError.noElements)]),
            (.of(1, 2), [.error(RxError.moreThanOneElement)]), (.error(Fault.first), [.error(Fault.first)]),
        ]
        for (source, events) in counts { XCTAssertEqual(source.asSingle().asObservable().record().events, events) }
        XCTAssertEqual(Observable<Int>.empty().asMaybe().asObservable().record().events, [.completed])
        XCTAssertEqual(Observable<Int>.empty().first().asObservable().record().events, [.next(nil), .completed])
    }

    func testASingleEmitsOnlyItsFirstResult() {
        let ends = Log<String>()
        let single = Single<Int>.create { single in
            single(.success(1))
            single(.success(2))
            single(.failure(Fault.first))
            return Disposables.create { ends.append("end") }
        }
        let results = Log<Int>()
        _ = single.subscribe(onSuccess: { results.append($0) }, onFailure: { _ in results.append(-1) })
        XCTAssertEqual(results.all, [1])
        XCTAssertEqual(ends.all, ["end"])
    }

    func testAndThenSubscribesWhenTheCompletableCompletes() {
        let first = scheduler.createColdObservable([.completed(50)] as [Recorded<Event<Never>>])
        let second = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let result = scheduler.start {
            first.asObservable().asCompletable().andThen(second.asObservable())
        }
        XCTAssertEqual(result.events, [.next(260, 1), .completed(270)])
        XCTAssertEqual(first.subscriptions, [Subscription(200, 250)])
        XCTAssertEqual(second.subscriptions, [Subscription(250, 270)])
    }

    func testAFailedCompletableDoesNotStartTheNextStream() {
        let log = Log<Int>()
        let rest = Observable<Int>.deferred {
            log.append(1)
            return .just(1)
        }
        XCTAssertEqual(Completable.error(Fault.first).andThen(rest).record().events, [.error(Fault.first)])
        XCTAssertEqual(log.all, [])
    }

    func testZippedSinglesSucceedTogetherAndFailAtOnce() {
        let slow = Single<Int>.just(1).delay(.seconds(50), scheduler: scheduler)
        let failing = Single<Int>.timer(.seconds(20), scheduler: scheduler).map { _ -> Int in throw Fault.first }
        let result = scheduler.start { Single.zip(slow, failing) { $0 + $1 } }
        XCTAssertEqual(result.events, [.error(220, Fault.first)])
    }

    func testResultsReachAnObjectUntilItIsReleased() {
        final class Owner {}
        let owner = Owner()
        let log = Log<String>()
        _ = Single.just(1).subscribe(
            with: owner, onSuccess: { log.append("\($1)") }, onDisposed: { _ in log.append("-") })
        _ = Maybe<Int>.empty().subscribe(with: owner, onCompleted: { _ in log.append("empty") })
        _ = Completable.error(Fault.first).subscribe(with: owner, onError: { log.append("\($1)") })
        let late = PublishSubject<Int>()
        _ = late.first().subscribe(with: Owner(), onSuccess: { _, _ in log.append("never") })
        late.onNext(1)
        XCTAssertEqual(log.all, ["1", "-", "empty", "first"])
    }
}
