import Freshet
import XCTest

final class ConcurrencyVocabularyTests: VocabularyTestCase {
    func testAStreamAsASequence() async throws {
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

    func testASequenceAsAStream() async throws {
        let numbers = AsyncStream<Int> { continuation in
            continuation.yield(1)
            continuation.finish()
        }
        let all = try await numbers.asObservable().toArray().value
        let prioritized = try await AsyncStream<Int> { $0.finish() }.asObservable(priority: .high).toArray().value
        XCTAssertEqual([all, prioritized], [[1], []])
    }
}
