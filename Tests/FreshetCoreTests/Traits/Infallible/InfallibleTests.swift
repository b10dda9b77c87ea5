import FreshetCore
import FreshetTesting
import XCTest

final class InfallibleTests: CoreTestCase {
    func testAnInfallibleEmitsElementsAndTheCompletion() {
        let log = Log<String>()
        let stream = Infallible<Int>.create { observer in
            observer(.next(1))
            observer(.next(2))
            observer(.completed)
            observer(.next(3))
            return Disposables.create { log.append("freed") }
        }
        stream.subscribe(
            onNext: { log.append("\($0)") }, onCompleted: { log.append("end") }, onDisposed: { log.append("disposed") }
        ).dispose()
        XCTAssertEqual(log.all, ["1", "2", "end", "disposed", "freed"])
        let events = Log<Event<Int>>()
        stream.subscribe { events.append($0.event) }.dispose()
        XCTAssertEqual(events.all, [.next(1), .next(2), .completed])
    }

    func testADisposalCallsOnDisposedAlone() {
        let source = ControlledSource<Int>()
        let log = Log<String>()
        let stream = source.stream.asInfallible(onErrorFallbackTo: .empty())
        let subscription = stream.subscribe(
            onNext: { log.append("\($0)") }, onCompleted: { log.append("end") }, onDisposed: { log.append("disposed") })
        source.send(1)
        subscription.dispose()
        source.send(2)
        XCTAssertEqual(log.all, ["1", "disposed"])
        XCTAssertEqual(source.observers, 0)
    }

    func testClosuresWithAnObjectAreNotCalledAfterItsRelease() {
        let source = ControlledSource<Int>()
        let log = Log<String>()
        var object: Log<String>? = Log()
        weak let gone = object
        let subscription = source.stream.asInfallible(onErrorJustReturn: 0).subscribe(
            with: object!,
            onNext: {
                $0.append("\($1)"); log.append("\($1)")
            }, onCompleted: { _ in log.append("end") })
        source.send(1)
        XCTAssertEqual(object?.all, ["1"])
        object = nil
        XCTAssertNil(gone)
        source.send(2)
        source.complete()
        XCTAssertEqual(log.all, ["1"])
        subscription.dispose()
    }

    func testCreatingFunctionsEmitTheElementsOfTheirObservableForms() {
        XCTAssertEqual(Infallible.just(1).record().events, [.next(1), .completed])
        XCTAssertEqual(Infallible.just(1, scheduler: CurrentThreadScheduler.instance).record().elements, [1])
        XCTAssertEqual(Infallible.of(1, 2, 3).record().events, [.next(1), .next(2), .next(3), .completed])
        XCTAssertEqual(Infallible.from([1, 2]).record().events, [.next(1), .next(2), .completed])
        XCTAssertEqual(Infallible.from(Set([4])).record().events, [.next(4), .completed])
        XCTAssertEqual(Infallible<Int>.empty().record().events, [.completed])
        XCTAssertEqual(Infallible<Int>.never().record().events, [])
        XCTAssertEqual(Infallible.range(start: 3, count: 2).record().elements, [3, 4])
        let count = Locked(0)
        let deferred = Infallible<Int>.deferred {
            .just(
                count.withLock { count in
                    count += 1
                    return count
                })
        }
        XCTAssertEqual(deferred.record().elements + deferred.record().elements, [1, 2])
    }

    func testTimersAndIntervalsEmitAtTheirTimes() {
        let scheduler = TestScheduler(initialClock: 0)
        let timer = scheduler.start { Infallible<Int>.timer(.seconds(10), scheduler: scheduler) }
        XCTAssertEqual(timer.events, [.next(210, 0), .completed(210)])
        let other = TestScheduler(initialClock: 0)
        let interval = other.start(disposed: 235) { Infallible<Int>.interval(.seconds(10), scheduler: other) }
        XCTAssertEqual(interval.events, [.next(210, 0), .next(220, 1), .next(230, 2)])
    }

    func testAsInfallibleReplacesAnError() {
        let failing = Observable.of(1).concat(Observable<Int>.error(Fault.first))
        XCTAssertEqual(
            failing.asInfallible(onErrorJustReturn: 9).record().events, [.next(1), .next(9), .completed])
        XCTAssertEqual(
            failing.asInfallible(onErrorFallbackTo: .of(7, 8)).record().events,
            [.next(1), .next(7), .next(8), .completed])
        XCTAssertEqual(
            failing.asInfallible(onErrorRecover: { .just($0 as? Fault == .first ? 5 : 6) }).record().events,
            [.next(1), .next(5), .completed])
        XCTAssertEqual(
            Single<Int>.error(Fault.second).asInfallible(onErrorJustReturn: 4).record().events, [.next(4), .completed])
    }

    func testAnErrorOfAnInfallibleIsFatalInDebug() throws {
        try assertFatalInDebug(
            "FreshetCoreTests.InfallibleTests/testAnErrorOfAnInfallibleIsFatalInDebug",
            message: "An Infallible has failed: first"
        ) {
            _ = Infallible.just(1).flatMap { _ in Observable<Int>.error(Fault.first) }.subscribe { _ in }
        }
    }

    func testAnErrorWithoutAnErrorClosureReachesTheDefaultHandler() {
        let before = Hooks.defaultErrorHandler
        defer { Hooks.defaultErrorHandler = before }
        let taken = Log<String>()
        Hooks.defaultErrorHandler = { _, error in taken.append("\(error)") }
        _ = Infallible.just(1).flatMap { _ in Single<Int>.error(Fault.second) }.subscribe(onNext: { _ in })
        XCTAssertEqual(taken.all, ["second"])
    }
}
