import FreshetCore
import FreshetTesting
import XCTest

/// Tests edge cases of traits: second events, no element, nothing to join.
final class TraitEndSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    private func results(of maybe: Maybe<Int>) -> [String] {
        let log = Log<String>()
        maybe.subscribe(
            onSuccess: { log.append("\($0)") }, onError: { log.append("\($0)") },
            onCompleted: { log.append("completed") },
            onDisposed: { log.append("disposed") }
        ).dispose()
        return log.all
    }

    private func results(of completable: Completable) -> [String] {
        let log = Log<String>()
        completable.subscribe(
            onCompleted: { log.append("completed") }, onError: { log.append("\($0)") },
            onDisposed: { log.append("disposed") }
        ).dispose()
        return log.all
    }

    func testAMaybeEmitsOnlyItsFirstResult() {
        let events: [[MaybeEvent<Int>]] = [
            [.success(1), .success(2), .completed], [.completed, .success(1)], [.error(Fault.first), .completed],
        ]
        let created = events.map { events in
            Maybe<Int>.create { maybe in
                for event in events { maybe(event) }
                return Disposables.create()
            }
        }
        XCTAssertEqual(
            created.map(results), [["1", "disposed"], ["completed", "disposed"], ["first", "disposed"]])
    }

    func testACompletableEmitsOnlyItsFirstResult() {
        let events: [[CompletableEvent]] = [[.completed, .error(Fault.first)], [.error(Fault.first), .completed]]
        let created = events.map { events in
            Completable.create { completable in
                for event in events { completable(event) }
                return Disposables.create()
            }
        }
        XCTAssertEqual(created.map(results), [["completed", "disposed"], ["first", "disposed"]])
    }

    func testAResultIsDeliveredBeforeTheSourceIsDisposedOf() {
        let log = Log<String>()
        _ = Single<Int>.create { single in
            single(.success(1))
            return Disposables.create { log.append("source") }
        }.subscribe(onSuccess: { _ in log.append("success") }, onDisposed: { log.append("disposed") })
        _ = Single<Int>.create { [scheduler] single in
            scheduler.scheduleAt(10) { single(.failure(Fault.first)) }
            return Disposables.create { log.append("source") }
        }.subscribe(onFailure: { _ in log.append("failure") }, onDisposed: { log.append("disposed") })
        scheduler.start()
        XCTAssertEqual(log.all, ["success", "disposed", "source", "failure", "disposed", "source"])
    }

    func testADisposedSingleCallsOnlyOnDisposed() {
        let log = Log<String>()
        Single<Int>.never().subscribe(
            onSuccess: { _ in log.append("success") }, onFailure: { _ in log.append("failure") },
            onDisposed: { log.append("disposed") }
        ).dispose()
        XCTAssertEqual(log.all, ["disposed"])
    }

    func testASingleThatCompletesWithoutAnElementCallsOnlyOnDisposed() {
        let log = Log<String>()
        _ = Single<Int>.error(Fault.first).retry { (_: Observable<any Error>) in Observable<Int>.empty() }.subscribe(
            onSuccess: { _ in log.append("success") }, onFailure: { _ in log.append("failure") },
            onDisposed: { log.append("disposed") })
        XCTAssertEqual(log.all, ["disposed"])
    }

    func testADisposalInsideTheResultOfASingleCallsOnDisposedAtOnce() {
        let log = Log<String>()
        let subscription = SerialDisposable()
        let subject = PublishSubject<Int>()
        subscription.disposable = subject.take(1).asSingle().subscribe(
            onSuccess: { _ in
                log.append("begin")
                subscription.dispose()
                log.append("end")
            }, onDisposed: { log.append("disposed") })
        subject.onNext(1)
        XCTAssertEqual(log.all, ["begin", "disposed", "end"])
    }

    func testAsSingleWaitsForTheEndAndFailsAtTheSecondElement() {
        let source = scheduler.createHotObservable([.next(210, 1), .completed(230)])
        let two = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        let none = scheduler.createHotObservable([.completed(230)] as [Recorded<Event<Int>>])
        let observers = (0..<6).map { _ in scheduler.createObserver(Int.self) }
        for (index, source) in [source, two, none].enumerated() {
            scheduler.scheduleAt(200) { _ = source.asSingle().asObservable().subscribe(observers[index]) }
            scheduler.scheduleAt(200) { _ = source.asMaybe().asObservable().subscribe(observers[index + 3]) }
        }
        scheduler.start()
        XCTAssertEqual(
            observers.map(\.events),
            [
                [.next(230, 1), .completed(230)], [.error(220, RxError.moreThanOneElement)],
                [.error(230, RxError.noElements)], [.next(230, 1), .completed(230)],
                [.error(220, RxError.moreThanOneElement)], [.completed(230)],
            ])
        XCTAssertEqual(two.subscriptions, [Subscription(200, 220), Subscription(200, 220)])
    }

    func testFirstCompletesWithoutWaitingForTheEnd() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        let result = scheduler.start { source.first() }
        XCTAssertEqual(result.events, [.next(210, 1), .completed(210)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 210)])
    }

    func testZipOfNoSinglesEmitsOneResult() {
        let none: [Single<Int>] = []
        XCTAssertEqual(Single<Int>.zip(none).asObservable().record().events.map(\.element), [[], nil])
        XCTAssertEqual(Single<Int>.zip(none) { $0.count }.asObservable().record().events, [.next(0), .completed])
        XCTAssertEqual(
            Single<Int>.zip(none) { _ -> Int in throw Fault.first }.asObservable().record().events,
            [.error(Fault.first)])
    }

    func testJoiningNoCompletablesCompletes() {
        let none: [Completable] = []
        XCTAssertEqual(results(of: .zip(none)), ["completed", "disposed"])
        XCTAssertEqual(results(of: .merge(none)), ["completed", "disposed"])
        XCTAssertEqual(results(of: .concat(none)), ["completed", "disposed"])
        XCTAssertEqual(results(of: .zip()), ["completed", "disposed"])
    }

    func testZippedCompletablesFailAtTheFirstErrorAndDisposeOfTheOthers() {
        let slow = scheduler.createColdObservable([.completed(50)] as [Recorded<Event<Never>>])
        let failing = scheduler.createColdObservable([.error(20, Fault.first)] as [Recorded<Event<Never>>])
        let observer = scheduler.createObserver(Never.self)
        scheduler.scheduleAt(200) {
            _ = Completable.zip(slow.asObservable().asCompletable(), failing.asObservable().asCompletable())
                .asObservable().subscribe(observer)
        }
        scheduler.start()
        XCTAssertEqual(observer.events.map(\.time), [220])
        XCTAssertEqual(slow.subscriptions, [Subscription(200, 220)])
    }

    func testConcatenatedCompletablesRunOneAfterTheOther() {
        let parts = (0..<2).map { _ in
            scheduler.createColdObservable([.completed(50)] as [Recorded<Event<Never>>])
        }
        let observer = scheduler.createObserver(Never.self)
        scheduler.scheduleAt(200) {
            _ = Completable.concat(parts.map { $0.asObservable().asCompletable() }).asObservable().subscribe(observer)
        }
        scheduler.start()
        XCTAssertEqual(observer.events.map(\.time), [300])
        XCTAssertEqual(parts.map(\.subscriptions), [[Subscription(200, 250)], [Subscription(250, 300)]])
    }

    func testIfEmptyReplacesAnEmptyMaybeAndNotAFailedOne() {
        XCTAssertEqual(results(of: Maybe.empty().ifEmpty(switchTo: Maybe<Int>.empty())), ["completed", "disposed"])
        XCTAssertEqual(results(of: Maybe<Int>.error(Fault.first).ifEmpty(default: 1).asMaybe()), ["first", "disposed"])
        XCTAssertEqual(results(of: Maybe.just(1).ifEmpty(default: 2).asMaybe()), ["1", "disposed"])
        XCTAssertEqual(results(of: Maybe.empty().asSingle().asMaybe()), ["\(RxError.noElements)", "disposed"])
        XCTAssertEqual(results(of: Maybe.empty().catchAndReturn(3)), ["completed", "disposed"])
    }

    func testAnEmptyMaybeCompletesFlatMapAndZip() {
        let never = Log<Int>()
        let empty = Maybe<Int>.empty()
        XCTAssertEqual(
            results(
                of: empty.flatMap {
                    never.append($0); return .just($0)
                }), ["completed", "disposed"])
        XCTAssertEqual(results(of: Maybe.zip(empty, .just(1)) { $0 + $1 }), ["completed", "disposed"])
        XCTAssertEqual(never.all, [])
    }

    func testACompletableIsRetriedAndCaught() {
        let attempts = Log<Int>()
        let failing = Completable.deferred {
            attempts.append(1)
            return .error(Fault.first)
        }
        XCTAssertEqual(results(of: failing.retry(3)), ["first", "disposed"])
        XCTAssertEqual(attempts.all.count, 3)
        XCTAssertEqual(results(of: failing.catch { _ in .empty() }), ["completed", "disposed"])
        XCTAssertEqual(results(of: failing.catch { _ in throw Fault.second }), ["second", "disposed"])
    }

    func testTraitsTimeOut() {
        let single = scheduler.start { [scheduler] in
            Single<Int>.never().timeout(.seconds(10), other: .just(7), scheduler: scheduler)
        }
        XCTAssertEqual(single.events, [.next(210, 7), .completed(210)])
        let other = TestScheduler(initialClock: 0)
        let maybe = other.start { Maybe<Int>.never().timeout(.seconds(10), scheduler: other) }
        XCTAssertEqual(maybe.events, [.error(210, RxError.timeout)])
    }

    func testAResourceOfASingleIsDisposedOfAfterItsResult() {
        let log = Log<String>()
        _ = Single<Int>.using {
            CompositeDisposable(Disposables.create { log.append("resource") })
        } primitiveSequenceFactory: { _ in
            .just(1)
        }.subscribe(onSuccess: { _ in log.append("success") })
        XCTAssertEqual(log.all, ["success", "resource"])
    }

    func testAsInfallibleReplacesTheErrorOfItsSource() {
        let failing = Observable.of(1).concat(Observable<Int>.error(Fault.first))
        XCTAssertEqual(failing.asInfallible(onErrorJustReturn: 2).record().events, [.next(1), .next(2), .completed])
        XCTAssertEqual(failing.asInfallible(onErrorFallbackTo: .empty()).record().events, [.next(1), .completed])
        let recovered = failing.asInfallible { _ in .of(3, 4) }
        XCTAssertEqual(recovered.record().elements, [1, 3, 4])
        XCTAssertEqual(Single<Int>.error(Fault.first).asInfallible(onErrorJustReturn: 5).record().elements, [5])
        XCTAssertEqual(
            Completable.error(Fault.first).asInfallible(onErrorFallbackTo: .empty()).record().events.count, 1)
    }

    func testAnInfallibleDropsEventsAfterItsCompletion() {
        let infallible = Infallible<Int>.create { observer in
            observer(.next(1))
            observer(.completed)
            observer(.next(2))
            return Disposables.create()
        }
        XCTAssertEqual(infallible.record().events, [.next(1), .completed])
    }
}
