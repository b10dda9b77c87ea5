import Foundation
import FreshetCore
import FreshetLoop
import XCTest

/// Tests that tasks which get results in a turn of the loop are resumed at the end of that turn.
final class LoopTurnEndTests: LoopTestCase {
    func testTasksAreResumedAtTheEndOfTheTurnThatBringsTheirResults() async throws {
        let loop = loop!
        let executor = CountingExecutor()
        let sources = (0..<20).map { _ in PublishSubject<Int>() }
        let tasks = sources.map { source in
            Task(executorPreference: executor) { try await source.asSingle().value }
        }
        while !sources.allSatisfy(\.hasObservers) { await Task.yield() }
        let (before, within) = await withCheckedContinuation { continuation in
            loop.execute {
                let before = executor.count
                for (number, source) in sources.enumerated() {
                    source.onNext(number)
                    source.onCompleted()
                }
                continuation.resume(returning: (before, executor.count))
            }
        }
        XCTAssertEqual(within, before, "a task was resumed in the middle of a turn")
        var results: [Int] = []
        for task in tasks { results.append(try await task.value) }
        XCTAssertEqual(results, Array(0..<20))
    }

    func testATaskIsResumedByAResultOfATimer() async throws {
        let source = PublishSubject<Int>()
        let task = Task { try await source.asSingle().value }
        while !source.hasObservers { await Task.yield() }
        _ = LoopScheduler(loop).scheduleRelative((), dueTime: .milliseconds(1)) { _ in
            source.onNext(7)
            source.onCompleted()
            return Disposables.create()
        }
        let result = try await task.value
        XCTAssertEqual(result, 7)
    }

    func testAfterTurnWorkRunsAfterAllOtherWorkOfTheTurn() {
        let order = Box<[String]>([])
        let loop = loop!
        _ = awaiting { (done: @escaping @Sendable (Bool) -> Void) in
            loop.execute {
                loop.afterTurn {
                    order.update { $0.append("after") }
                    done(true)
                }
                loop.execute { order.update { $0.append("later in this turn") } }
            }
        }
        XCTAssertEqual(order.value, ["later in this turn", "after"])
    }

    func testResultsOfATurnWakeAnotherLoopOnce() throws {
        let loop = loop!
        let other = try Loop(name: "other")
        defer { other.shutdown() }
        let numbers = Box<[Int]>([])
        let bag = DisposeBag()
        let (within, after): (Int, Int) = awaiting { done in
            loop.execute {
                let before = other.wakeUps
                for number in 0..<20 {
                    Observable.just(number).observe(on: LoopScheduler(other))
                        .subscribe(onNext: { number in numbers.update { $0.append(number) } }).disposed(by: bag)
                }
                let within = other.wakeUps - before
                loop.afterTurn { done((within, other.wakeUps - before)) }
            }
        }
        XCTAssertEqual(within, 0)
        XCTAssertEqual(after, 1)
        let end = DispatchSemaphore(value: 0)
        other.execute { end.signal() }
        end.wait()
        XCTAssertEqual(numbers.value, Array(0..<20))
    }

    /// An immediate call must not wait for a deferred one.
    func testAnImmediateCallWakesALoopDespiteADeferredWakeUp() throws {
        let loop = loop!
        let other = try Loop(name: "other")
        defer { other.shutdown() }
        let order = Box<[Int]>([])
        onLoop {
            _ = LoopScheduler(other).schedule(()) { _ in
                order.update { $0.append(1) }
                return Disposables.create()
            }
            let isDone = DispatchSemaphore(value: 0)
            other.execute {
                order.update { $0.append(2) }
                isDone.signal()
            }
            XCTAssertEqual(isDone.wait(timeout: .now() + 30), .success)
            XCTAssertTrue(loop.isCurrent)
        }
        XCTAssertEqual(order.value, [1, 2])
    }

    func testALoopIsWokenBeforeAThreadWaitsForIt() throws {
        let other = try Loop(name: "other")
        defer { other.shutdown() }
        let order = Box<[Int]>([])
        onLoop {
            _ = LoopScheduler(other).schedule(()) { _ in
                order.update { $0.append(1) }
                return Disposables.create()
            }
            XCTAssertTrue(other.executeAndWait { order.update { $0.append(2) } })
        }
        XCTAssertEqual(order.value, [1, 2])
    }

    func testShutdownRunsWorkWhoseWakeUpIsDeferred() throws {
        let order = Box<[Int]>([])
        try onLoop {
            let other = try Loop(name: "other")
            _ = LoopScheduler(other).schedule(()) { _ in
                order.update { $0.append(1) }
                return Disposables.create()
            }
            other.shutdown()
        }
        XCTAssertEqual(order.value, [1])
    }

    func testATaskIsResumedByTheLastWorkOfALoop() async throws {
        let source = PublishSubject<Int>()
        let task = Task { try await source.asSingle().value }
        while !source.hasObservers { await Task.yield() }
        loop.execute { [loop = loop!] in
            _ = loop.atEnd {
                source.onNext(7)
                source.onCompleted()
            }
        }
        await Task.detached { [loop = loop!] in loop.shutdown() }.value
        let result = try await task.value
        XCTAssertEqual(result, 7)
    }
}

/// Counts the jobs that it passes to the default executor.
private final class CountingExecutor: TaskExecutor {
    private let jobs = Locked(0)

    var count: Int { jobs.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0 += 1 }
        globalConcurrentExecutor.enqueue(job)
    }
}
