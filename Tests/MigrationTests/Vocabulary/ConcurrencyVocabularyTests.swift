import Freshet
import FreshetTesting
import XCTest

final class ConcurrencyVocabularyTests: VocabularyTestCase {
    func testAStreamIsReadAsAnAsyncSequence() async throws {
        var seen: [Int] = []
        for try await number in Observable.of(1, 2, 3).values { seen.append(number) }
        XCTAssertEqual(seen, [1, 2, 3])
        do {
            for try await number in Observable<Int>.error(Failure.first).values { seen.append(number) }
            XCTFail("an error was lost")
        } catch {
            XCTAssertEqual(error as? Failure, .first)
        }
    }

    func testAnAsyncSequenceIsConvertedToAStream() async throws {
        let numbers = AsyncStream<Int> { continuation in
            continuation.yield(1)
            continuation.finish()
        }
        let all = try await numbers.asObservable().toArray().value
        let prioritized = try await AsyncStream<Int> { $0.finish() }.asObservable(priority: .high).toArray().value
        XCTAssertEqual([all, prioritized], [[1], []])
    }

    /// A closure that is written on the main actor belongs to it only if it is marked so.
    @MainActor
    func testClosuresOfTheMainActorRunOnOtherThreads() throws {
        let squares = Observable.of(1, 2, 3)
            .observe(on: SerialDispatchQueueScheduler(qos: .default))
            .do(onNext: { _ in XCTAssertFalse(Thread.isMainThread) })
            .map { $0 * $0 }
            .filter { $0 > 1 }
            .flatMap { number in Observable<Int>.deferred { .just(number) } }
            .scan(0) { $0 + $1 }
        XCTAssertEqual(try squares.toBlocking(timeout: 10).toArray(), [4, 13])
    }

    @MainActor
    func testTheMainActorAwaitsStreams() async throws {
        let number = try await Single.just(1).observe(on: SerialDispatchQueueScheduler(qos: .default)).value
        var seen = [number]
        for try await number in Observable.of(2, 3).observe(on: MainScheduler.instance).values { seen.append(number) }
        XCTAssertEqual(seen, [1, 2, 3])
    }
}
