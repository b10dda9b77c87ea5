import FreshetCore
import FreshetTesting
import XCTest

/// Tests the bridges to tasks: when they subscribe, and the effect of a cancellation before, between and after the elements.
final class CancellationSemanticsTests: XCTestCase {
    private func canceled<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async -> Swift.Result<Result, any Error> {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await work()
        }
        return await task.result
    }

    func testEachIteratorSubscribesWhenItIsMade() async throws {
        let source = ControlledSource<Int>()
        let values = source.stream.values
        XCTAssertEqual(source.subscriptions, 0)
        var first = values.makeAsyncIterator(), second = values.makeAsyncIterator()
        XCTAssertEqual(source.subscriptions, 2)
        source.send(1)
        source.complete()
        for _ in 0..<2 {
            let (one, other) = (try await first.next(), try await second.next())
            XCTAssertEqual(one, other)
        }
    }

    func testValuesOfAnEndedSubjectEndAtOnce() async throws {
        let completed = PublishSubject<Int>(), failed = PublishSubject<Int>(), disposed = PublishSubject<Int>()
        completed.onCompleted()
        failed.onError(Fault.first)
        disposed.dispose()
        for try await _ in completed.values { XCTFail("an element") }
        for (subject, isExpected) in [(failed, { $0 is Fault }), (disposed, { $0 is RxError })]
            as [(PublishSubject<Int>, (any Error) -> Bool)]
        {
            do {
                for try await _ in subject.values { XCTFail("an element") }
                XCTFail("no error")
            } catch {
                XCTAssertTrue(isExpected(error))
            }
        }
    }

    func testAnEndedIteratorReturnsNil() async throws {
        var iterator = Observable.of(1).values.makeAsyncIterator()
        var all: [Int?] = []
        for _ in 0..<3 { all.append(try await iterator.next()) }
        XCTAssertEqual(all, [1, nil, nil])
        var failing = Observable<Int>.error(Fault.first).values.makeAsyncIterator()
        do {
            _ = try await failing.next()
            XCTFail("no error")
        } catch {}
        let rest = try await failing.next()
        XCTAssertNil(rest)
    }

    func testACancelledTaskReceivesNoElement() async {
        let result = await canceled { () -> [Int] in
            var all: [Int] = []
            for try await number in Observable.of(1, 2).values { all.append(number) }
            return all
        }
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        let infallible = await canceled { () -> [Int] in
            var all: [Int] = []
            for await number in Infallible.of(1, 2).values { all.append(number) }
            return all
        }
        XCTAssertEqual(try infallible.get(), [])
    }

    func testACancellationBetweenTwoElementsDisposesOfTheSource() async {
        let source = ControlledSource<Int>()
        let task = Task {
            for try await _ in source.stream.values { withUnsafeCurrentTask { $0?.cancel() } }
        }
        while source.observers == 0 { await Task.yield() }
        source.send(1, 2)
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        XCTAssertEqual(source.observers, 0)
    }

    func testABreakDisposesOfTheSource() async throws {
        let source = ControlledSource<Int>()
        let task = Task { for try await _ in source.stream.values { break } }
        while source.observers == 0 { await Task.yield() }
        source.send(1, 2)
        try await task.value
        XCTAssertEqual(source.observers, 0)
    }

    func testACancellationAfterTheResultChangesNothing() async throws {
        let source = ControlledSource<Int>()
        let task = Task { try await source.stream.take(1).asSingle().value }
        while source.observers == 0 { await Task.yield() }
        source.send(1)
        let value = try await task.value
        task.cancel()
        XCTAssertEqual(value, 1)
        XCTAssertEqual(source.log, ["dispose"])
    }

    func testASingleWithoutAnElementThrowsNoElements() async {
        let task = Task {
            try await Single<Int>.error(Fault.first).retry { (_: Observable<any Error>) in Observable<Int>.empty() }
                .value
        }
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { error in
            guard case .noElements? = error as? RxError else { return XCTFail("\(error)") }
        }
    }

    func testAMaybeAndACompletableThrowTheirErrors() async {
        let maybe = await Task { try await Maybe<Int>.error(Fault.first).value }.result
        XCTAssertThrowsError(try maybe.get()) { XCTAssertEqual($0 as? Fault, .first) }
        let completable = await Task { try await Completable.error(Fault.second).value }.result
        XCTAssertThrowsError(try completable.get()) { XCTAssertEqual($0 as? Fault, .second) }
    }

    private struct Failing: AsyncSequence, Sendable {
        let error: any Error & Sendable

        struct Iterator: AsyncIteratorProtocol {
            let error: any Error & Sendable
            var isFirst = true

            mutating func next() async throws -> Int? {
                defer { isFirst = false }
                if isFirst { return 1 }
                throw error
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(error: error) }
    }

    func testAnAsyncSequenceThatThrowsFailsAfterItsElements() async {
        for error in [Fault.first, CancellationError()] as [any Error & Sendable] {
            var all: [Int] = []
            do {
                for try await number in Failing(error: error).asObservable().values { all.append(number) }
                XCTFail("no error")
            } catch let thrown {
                XCTAssertEqual(String(reflecting: thrown), String(reflecting: error))
            }
            XCTAssertEqual(all, [1])
        }
    }

    func testACancelledSingleOfWorkEmitsNoResult() async {
        let log = Log<String>()
        let single = Single<Int>.create {
            log.append("begin")
            do { try await Task.sleep(for: .seconds(1000)) } catch { log.append("cancelled") }
            return 1
        }
        let subscription = single.subscribe(
            onSuccess: { _ in log.append("success") }, onFailure: { _ in log.append("failure") },
            onDisposed: { log.append("disposed") })
        while log.all.isEmpty { await Task.yield() }
        subscription.dispose()
        while log.all.count < 3 { await Task.yield() }
        XCTAssertEqual(Set(log.all), ["begin", "disposed", "cancelled"])
    }
}
