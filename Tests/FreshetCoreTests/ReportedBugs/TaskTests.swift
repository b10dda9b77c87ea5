import FreshetCore
import XCTest

/// Tests streams with tasks: leaked continuations, continuations that are resumed twice, and streams that outlive their
/// readers.
final class TaskTests: CoreTestCase {
    private let never = Observable<Int>.never()

    /// RxSwift #2426: a task that waited for a value was never resumed when it was cancelled.
    func testATaskThatWaitsForAValueIsResumedWhenItIsCancelled() async {
        let never = never
        let tasks = [
            Task { _ = try await never.asSingle().value },
            Task { _ = try await never.asMaybe().value },
            Task { try await never.ignoreElements().asCompletable().value },
        ]
        for task in tasks {
            task.cancel()
            let result = await task.result
            XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        }
    }

    /// RxSwift #2563 and #2727: the value arrived while the task was being cancelled, and the task was resumed twice, or never.
    func testATaskIsResumedOnceWhenItsValueArrivesDuringItsCancellation() async {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let subject = PublishSubject<Int>()
                    let task = Task { try await subject.take(1).asSingle().value }
                    let sending = Task.detached {
                        if number % 2 == 0 { await Task.yield() }
                        subject.onNext(number)
                    }
                    if number % 3 == 0 { await Task.yield() }
                    task.cancel()
                    await sending.value
                    switch await task.result {
                    case .success(let value): return value == number
                    case .failure(let error): return error is CancellationError
                    }
                }
            }
            for await isRight in group { XCTAssertTrue(isRight) }
        }
    }

    /// RxSwift #2479: a stream continued after the task that read it had been cancelled.
    func testCancellingTheReadingTaskDisposesOfTheStream() async {
        let source = ControlledSource<Int>()
        let read = Counter()
        let task = Task {
            for try await _ in source.stream.values { read.increment() }
        }
        while source.observers == 0 { await Task.yield() }
        source.send(1)
        while read.value == 0 { await Task.yield() }
        task.cancel()
        _ = await task.result
        XCTAssertEqual(source.observers, 0)
        source.send(2)
        XCTAssertEqual(read.value, 1)
    }

    /// swift-async-algorithms #352: the base of a buffer leaked when its reader stopped without being cancelled.
    func testAReaderThatReturnsEarlyReleasesItsSource() async throws {
        weak var left: PublishSubject<Int>?
        do {
            let subject = PublishSubject<Int>()
            left = subject
            let values = subject.share(replay: 1).values(buffering: 0...1)
            let reading = Task {
                for try await number in values { return number }
                return 0
            }
            while !subject.hasObservers { await Task.yield() }
            subject.onNext(7)
            let number = try await reading.value
            XCTAssertEqual(number, 7)
            XCTAssertFalse(subject.hasObservers)
        }
        XCTAssertNil(left)
    }

    /// swift-async-algorithms #437: a reader of `flatMapLatest` crashed or hung when the outer stream switched often.
    func testAReaderOfAFrequentlySwitchingStreamReceivesTheLastElement() async throws {
        let outer = PublishSubject<Int>(), inner = PublishSubject<Int>()
        var values = outer.flatMapLatest { number in inner.startWith(number) }.values.makeAsyncIterator()
        let sending = Task.detached {
            onThreads(2) { thread in
                for number in 0..<1000 { thread == 0 ? outer.onNext(number) : inner.onNext(-1) }
            }
            inner.onCompleted()
            outer.onCompleted()
        }
        var last = -1
        while let number = try await values.next() {
            guard number >= 0 else { continue }
            XCTAssertGreaterThan(number, last)
            last = number
        }
        await sending.value
        XCTAssertEqual(last, 999)
    }

    /// RxSwift #2638: a closure from a main actor's context crashed when an operator called it on another thread.
    func testAClosureOfTheMainActorRunsOnAnotherThread() async throws {
        let stream = await Self.incremented()
        let number = try await stream.asSingle().value
        XCTAssertEqual(number, 2)
    }

    @MainActor
    private static func incremented() -> Observable<Int> {
        Observable.just(1).observe(on: ThreadsScheduler()).map { $0 + 1 }.filter { $0 > 0 }
            .flatMap { Observable.just($0) }
    }
}
