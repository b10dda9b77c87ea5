import FreshetCore
import FreshetTesting
import XCTest

final class ParallelMapTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private let source = ControlledSource<Int>()
    private let calls = Log<Int>()

    private func mapped(ordered: Bool, maxConcurrent: Int? = nil) -> Observable<Int> {
        source.stream.parallelMap(on: [scheduler], ordered: ordered, maxConcurrent: maxConcurrent) { [calls] number in
            calls.append(number)
            if number < 0 { throw Fault.second }
            return number * 10
        }
    }

    func testResultsOfManyThreadsArriveCompleteAndOptionallyInOrder() async throws {
        let threads = (0..<4).map { _ in ThreadsScheduler() }
        let numbers = Observable.range(start: 0, count: 2000)
        for ordered in [true, false] {
            var results: [Int] = []
            let stream = numbers.parallelMap(on: threads, ordered: ordered) { -$0 }
            for try await result in stream.values(buffering: 1...8) { results.append(result) }
            XCTAssertEqual(ordered ? results : results.sorted(by: >), (0..<2000).map { -$0 })
        }
    }

    private struct Numbered: ImmediateSchedulerType {
        let number: Int
        let log: Log<Int>

        func schedule<StateType: Sendable>(
            _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
        ) -> any Disposable {
            log.append(number)
            return action(state)
        }
    }

    func testTheSchedulersAreUsedInTurn() {
        let log = Log<Int>()
        let schedulers = (0..<3).map { Numbered(number: $0, log: log) }
        let results = source.stream.parallelMap(on: schedulers, ordered: false) { $0 }.subscribe()
        source.send(1, 2, 3, 4)
        // An element and the completion are two pieces of work.
        XCTAssertEqual(log.all, [0, 0, 1, 1, 2, 2, 0, 0])
        results.dispose()
    }

    func testTheSourceIsPausedAtTheLimitOfConcurrentWork() {
        for ordered in [true, false] {
            let before = source.log.count
            let recorder = Recorder<Int>()
            let subscription = mapped(ordered: ordered, maxConcurrent: 2).subscribe(recorder)
            source.send(1)
            XCTAssertEqual(source.log.count, before)
            source.send(2, 3)
            XCTAssertEqual(source.log.last, "pause")
            scheduler.advanceBy(5)
            XCTAssertEqual(source.log.last, "resume")
            XCTAssertEqual(recorder.elements, [10, 20, 30])
            source.complete()
            XCTAssertTrue(recorder.hasCompleted)
            subscription.dispose()
        }
    }

    func testAnErrorEndsEverything() {
        for ordered in [true, false] {
            let recorder = Recorder<Int>()
            let subscription = mapped(ordered: ordered).subscribe(recorder)
            source.send(-1, 1)
            scheduler.advanceBy(5)
            XCTAssertEqual(recorder.events, [.error(Fault.second)])
            XCTAssertEqual(source.observers, 0)
            subscription.dispose()
        }
    }

    func testWaitingWorkIsCanceledWithTheSubscription() {
        for ordered in [true, false] {
            let subscription = mapped(ordered: ordered).subscribe()
            source.send(1, 2)
            subscription.dispose()
            scheduler.advanceBy(5)
            XCTAssertEqual(calls.all, [])
            XCTAssertEqual(source.observers, 0)
        }
    }

    func testParallelMapStartsNoWorkDuringAPause() {
        for ordered in [true, false] {
            let subscription = SerialDisposable()
            let recorder = Recorder<Int>()
            subscription.disposable = mapped(ordered: ordered).subscribe(recorder)
            let before = calls.all
            source.send(1, 2)
            subscription.pause()
            scheduler.advanceBy(5)
            XCTAssertEqual(calls.all, before)
            subscription.resume()
            scheduler.advanceBy(5)
            XCTAssertEqual(recorder.elements, [10, 20])
            subscription.dispose()
        }
    }
}
