import Foundation
import FreshetCore
import FreshetLoop
import XCTest

/// What a loop's turn brings tasks comes to them at its end.
final class LoopTurnEndTests: LoopTestCase {
    func testTheTasksThatATurnBringsResultsAreResumedTogetherAtItsEnd() async throws {
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

    func testATaskIsResumedAtTheEndOfATurnThatATimerBrought() async throws {
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

    func testATaskIsResumedByTheLastThatALoopDoes() async throws {
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

/// Counts the jobs that it hands on to where all tasks run.
private final class CountingExecutor: TaskExecutor {
    private let jobs = Locked(0)

    var count: Int { jobs.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0 += 1 }
        globalConcurrentExecutor.enqueue(job)
    }
}
