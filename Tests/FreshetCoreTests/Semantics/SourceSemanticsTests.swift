import FreshetCore
import FreshetTesting
import XCTest

/// Tests edge cases of sources, and of operators with one source.
final class SourceSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testGenerateFailsWithTheErrorsOfItsClosures() {
        XCTAssertEqual(
            Observable<Int>.generate(initialState: 0, condition: { _ in throw Fault.first }, iterate: { $0 })
                .record().events,
            [.error(Fault.first)])
        XCTAssertEqual(
            Observable<Int>.generate(initialState: 0, condition: { $0 < 2 }, iterate: { _ in throw Fault.second })
                .record().events,
            [.next(0), .error(Fault.second)])
        XCTAssertEqual(
            Observable<Int>.generate(
                initialState: 0, condition: { if $0 == 2 { throw Fault.first } else { true } }, iterate: { $0 + 1 }
            ).record().events,
            [.next(0), .next(1), .error(Fault.first)])
        XCTAssertEqual(
            Observable<Int>.generate(initialState: 5, condition: { $0 < 2 }, iterate: { $0 + 1 }).record().events,
            [.completed])
    }

    func testUsingDisposesOfTheResourceAfterTheStopEvent() {
        let log = Log<String>()
        for stop in [Event<Int>.completed, .error(Fault.first)] {
            _ = Observable<Int>.using {
                CompositeDisposable(Disposables.create { log.append("resource") })
            } observableFactory: { _ in
                Observable<Int>.create { observer in
                    observer.on(stop)
                    return Disposables.create { log.append("source") }
                }
            }.subscribe(onError: { _ in log.append("stop") }, onCompleted: { log.append("stop") })
        }
        XCTAssertEqual(log.all.filter { $0 != "source" }, ["stop", "resource", "stop", "resource"])
    }

    func testUsingWithoutAResourceFails() {
        let calls = Log<Int>()
        let stream = Observable<Int>.using { () throws -> BooleanDisposable in
            throw Fault.first
        } observableFactory: { _ in
            calls.append(1)
            return .just(1)
        }
        XCTAssertEqual(stream.record().events, [.error(Fault.first)])
        XCTAssertEqual(calls.all, [])
    }

    func testTakeLastOfZeroWaitsForTheEndAndPassesAnError() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        XCTAssertEqual(scheduler.start { source.takeLast(0) }.events, [.completed(230)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 230)])
        let failing = Observable.of(1, 2).concat(Observable<Int>.error(Fault.first))
        XCTAssertEqual(failing.takeLast(1).record().events, [.error(Fault.first)])
    }

    func testElementAtFailsForAMissingElementAtTheEnd() {
        let source = scheduler.createHotObservable([.next(210, 1), .completed(230)])
        let result = scheduler.start { source.element(at: 1) }
        XCTAssertEqual(result.events, [.error(230, RxError.argumentOutOfRange)])
        let failing = Observable.of(1).concat(Observable<Int>.error(Fault.first))
        XCTAssertEqual(failing.element(at: 1).record().events, [.error(Fault.first)])
        XCTAssertEqual(failing.element(at: 0).record().events, [.next(1), .completed])
    }

    func testSingleEmitsTheFirstElementAtOnceAndFailsAtTheSecond() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        let result = scheduler.start { source.single() }
        XCTAssertEqual(result.events, [.next(210, 1), .error(220, RxError.moreThanOneElement)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
        XCTAssertEqual(
            Observable.of(1).single { _ in throw Fault.first }.record().events, [.error(Fault.first)])
    }

    func testSkipWhileAndTakeWhileCallTheirPredicateOnlyAsOftenAsNeeded() {
        let calls = Log<Int>()
        let numbers = Observable.of(1, 2, 3, 1)
        let isSmall: @Sendable (Int) -> Bool = { number in
            calls.append(number)
            return number < 2
        }
        XCTAssertEqual(numbers.skip(while: isSmall).record().elements, [2, 3, 1])
        XCTAssertEqual(numbers.take(while: isSmall).record().events, [.next(1), .completed])
        XCTAssertEqual(
            numbers.take(while: isSmall, behavior: .inclusive).record().events, [.next(1), .next(2), .completed])
        XCTAssertEqual(calls.all, [1, 2, 1, 2, 1, 2])
    }

    func testScanIntoStartsEachSubscriptionWithItsSeed() {
        let sums = Observable.of(1, 2).scan(into: [Int]()) { all, number in all.append(number) }
        for _ in 0..<2 { XCTAssertEqual(sums.record().elements, [[1], [1, 2]]) }
        let failing = Observable.of(1, 2).scan(into: 0) { sum, number in
            if number == 2 { throw Fault.first }
            sum += number
        }
        XCTAssertEqual(failing.record().events, [.next(1), .error(Fault.first)])
    }

    func testReduceMapsItsResultAndFailsWithTheSource() {
        XCTAssertEqual(
            Observable.of(1, 2).reduce(0, accumulator: +, mapResult: { "\($0)" }).record().events,
            [.next("3"), .completed])
        XCTAssertEqual(
            Observable.of(1).reduce(0, accumulator: +, mapResult: { _ -> Int in throw Fault.first }).record().events,
            [.error(Fault.first)])
        XCTAssertEqual(Observable<Int>.empty().reduce(7, accumulator: +).record().events, [.next(7), .completed])
        XCTAssertEqual(
            Observable<Int>.error(Fault.first).toArray().asObservable().record().events, [.error(Fault.first)])
    }

    func testDistinctUntilChangedComparesWithTheLastEmittedElement() {
        let calls = Log<String>()
        let stream = Observable.of(1, 2, 4, 5).distinctUntilChanged { before, now in
            calls.append("\(before) \(now)")
            return now - before < 2
        }
        XCTAssertEqual(stream.record().elements, [1, 4])
        XCTAssertEqual(calls.all, ["1 2", "1 4", "4 5"])
    }

    func testDematerializeEndsWithTheFirstStopEvent() {
        let events = Observable<Event<Int>>.of(.next(1), .completed, .next(2))
        XCTAssertEqual(events.dematerialize().record().events, [.next(1), .completed])
        XCTAssertEqual(
            Observable<Event<Int>>.of(.next(1), .error(Fault.first)).dematerialize().record().events,
            [.next(1), .error(Fault.first)])
        XCTAssertEqual(Observable<Event<Int>>.of(.next(1)).dematerialize().record().events, [.next(1), .completed])
        XCTAssertEqual(
            Observable<Event<Int>>.error(Fault.second).dematerialize().record().events, [.error(Fault.second)])
    }

    func testACatchHandlerIsCalledBeforeTheOtherStreamStarts() {
        let log = Log<String>()
        let subject = PublishSubject<Int>()
        let source = Observable<Int>.create { observer in
            let subscription = subject.subscribe(observer)
            return Disposables.create {
                subscription.dispose()
                log.append("source")
            }
        }
        let subscription = source.catch { _ in
            log.append("handler")
            return .create { observer in
                log.append("other")
                observer.onCompleted()
                return Disposables.create()
            }
        }.subscribe(onCompleted: { log.append("completed") })
        subject.onError(Fault.first)
        XCTAssertEqual(Set(log.all), ["handler", "source", "other", "completed"])
        XCTAssertEqual(log.all.filter { $0 != "source" }, ["handler", "other", "completed"])
        subscription.dispose()
    }

    func testRetryDisposesOfTheSourceOfEachAttempt() {
        let log = Log<String>()
        let source = Observable<Int>.create { observer in
            log.append("begin")
            observer.onError(Fault.first)
            return Disposables.create { log.append("end") }
        }
        XCTAssertEqual(source.retry(1).record().events, [.error(Fault.first)])
        XCTAssertEqual(log.all, ["begin", "end"])
        XCTAssertEqual(source.retry(2).record().events, [.error(Fault.first)])
        XCTAssertEqual(log.all.filter { $0 == "begin" }.count, 3)
        XCTAssertEqual(log.all.filter { $0 == "end" }.count, 3)
    }

    func testWithUnretainedPassesAnError() {
        final class Owner {}
        let owner = Owner()
        XCTAssertEqual(
            Observable<Int>.error(Fault.first).withUnretained(owner).map(\.1).record().events, [.error(Fault.first)])
    }
}
