import FreshetCore
import XCTest

/// Tests `value` of singles, maybes and completables.
final class AwaiterTests: CoreTestCase {
    func testASingleReturnsItsElementOrThrowsItsError() async throws {
        let number = try await Single.just(7).value
        XCTAssertEqual(number, 7)
        let failing = Task { try await Single<Int>.error(TestError()).value }
        let result = await failing.result
        XCTAssertThrowsError(try result.get()) { XCTAssertEqual($0 as? TestError, TestError()) }
    }

    func testAMaybeReturnsNilWithoutAnElement() async throws {
        let none = try await Maybe<Int>.empty().value
        XCTAssertNil(none)
        let some = try await Maybe.just("here").value
        XCTAssertEqual(some, "here")
    }

    func testACompletableReturnsWhenItCompletes() async throws {
        let source = ControlledSource<Int>()
        let task = Task { try await source.stream.ignoreElements().asCompletable().value }
        while source.observers == 0 { await Task.yield() }
        source.send(1)
        source.complete()
        try await task.value
        XCTAssertEqual(source.observers, 0)
    }

    func testTheSourceIsDisposedOfBeforeTheValueIsReturned() async throws {
        let disposed = Counter()
        let number = try await Single<Int>.create { single in
            single(.success(1))
            return Disposables.create { disposed.increment() }
        }.value
        XCTAssertEqual(number, 1)
        XCTAssertEqual(disposed.value, 1)
    }

    func testACancelledTaskDoesNotSubscribe() async {
        let source = ControlledSource<Int>()
        let subscribed = Counter()
        let single = source.stream.do(onSubscribe: { subscribed.increment() }).asSingle()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await single.value
        }
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        XCTAssertEqual(subscribed.value, 0)
    }

    func testASynchronousMaybeOrCompletableReturnsInACancelledTask() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let some = try await Maybe.just(7).value
            XCTAssertEqual(some, 7)
            let none = try await Maybe<Int>.empty().value
            XCTAssertNil(none)
            try await Completable.empty().value
            do {
                try await Completable.error(TestError(number: 3)).value
                XCTFail("no error")
            } catch {
                XCTAssertEqual(error as? TestError, TestError(number: 3))
            }
        }
        try await task.value
    }

    func testAnUnfinishedMaybeOrCompletableIsDisposedOfInACancelledTask() async {
        let disposals = Counter()
        let maybe = Maybe<Int>.create { _ in Disposables.create { disposals.increment() } }
        let completable = Completable.create { _ in Disposables.create { disposals.increment() } }
        let first = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await maybe.value
        }
        let second = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await completable.value
        }
        let (one, other) = (await first.result, await second.result)
        XCTAssertThrowsError(try one.get()) { XCTAssertTrue($0 is CancellationError) }
        XCTAssertThrowsError(try other.get()) { XCTAssertTrue($0 is CancellationError) }
        XCTAssertEqual(disposals.value, 2)
    }

    /// The source emits on another thread before the subscribing call returns, while the task is cancelled.
    func testACancellationDuringTheSubscriptionReleasesTheSource() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let subject = PublishSubject<Int>()
                    let single = Single<Int>.create { single in
                        let inner = subject.subscribe(onNext: { single(.success($0)) })
                        subject.onNext(number)
                        return inner
                    }
                    let task = Task { try await single.value }
                    if number % 3 == 0 { await Task.yield() }
                    task.cancel()
                    switch await task.result {
                    case .success(let value): XCTAssertEqual(value, number)
                    case .failure(let error): XCTAssertTrue(error is CancellationError)
                    }
                    XCTAssertFalse(subject.hasObservers)
                }
            }
        }
    }

    func testAResultReachesTheTaskAtTheTurnEnd() async throws {
        let source = ControlledSource<Int>()
        let isBack = Counter()
        let task = Task {
            let number = try await source.stream.asSingle().value
            isBack.increment()
            return number
        }
        while source.observers == 0 { await Task.yield() }
        let turnEnd = TurnEnd()
        Self.inTurn(turnEnd) {
            source.send(7)
            source.complete()
            XCTAssertEqual(isBack.value, 0)
        }
        let number = try await task.value
        XCTAssertEqual(number, 7)
    }

    private static func inTurn(_ turnEnd: TurnEnd, _ work: () -> Void) {
        TurnEnd.setCurrent(turnEnd)
        work()
        TurnEnd.setCurrent(nil)
        turnEnd.run()
    }
}
