import FreshetCore
import FreshetTesting
import XCTest

/// Tests sources of one operator that each have more elements than a consumer that pauses them takes.
final class FairResumeTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    /// Takes 30 units for each element.
    private func take(_ count: Int, of stream: Observable<String>) -> [String] {
        let scheduler = scheduler
        let result = scheduler.start(created: 0, subscribed: 1, disposed: 10_000) {
            stream.concatMap { element in
                Observable<Int>.timer(.seconds(30), scheduler: scheduler).map { _ in element }
            }.take(count)
        }
        return result.events.compactMap(\.value.element)
    }

    private static func numbers(_ name: String) -> Observable<String> {
        Observable.range(start: 0, count: 100).map { _ in name }
    }

    func testMergedSourcesTakeTurns() {
        let merged = Observable.merge(Self.numbers("a"), Self.numbers("b"), Self.numbers("c"))
        XCTAssertEqual(Set(take(6, of: merged)), ["a", "b", "c"])
    }

    // Sequences that emit within their subscribing call come one after the other, because none may overtake another.
    func testStreamsOfFlatMapTakeTurns() {
        let scheduler = scheduler
        let elements = take(
            12,
            of: Observable.of("a", "b", "c").flatMap {
                Self.numbers($0).delay(.seconds(2), scheduler: scheduler)
            })
        for name in ["a", "b", "c"] { XCTAssertGreaterThanOrEqual(elements.count { $0 == name }, 3, name) }
    }

    func testDelayedSourcesTakeTurns() {
        let scheduler = scheduler
        let sources = ["a", "b"].map { Self.numbers($0).delay(.seconds(2), scheduler: scheduler) }
        let elements = take(12, of: .merge(sources))
        for name in ["a", "b"] { XCTAssertGreaterThanOrEqual(elements.count { $0 == name }, 4, name) }
    }

    func testATimerThatBecameDueDuringAPauseFiresBesideAnInterval() {
        let scheduler = scheduler
        let ticks = Observable<Int>.interval(.seconds(10), scheduler: scheduler).map { _ in "i" }
        let timer = Observable<Int>.timer(.seconds(15), scheduler: scheduler).map { _ in "t" }
        XCTAssertTrue(take(20, of: .merge(ticks, timer)).contains("t"))
    }

    func testTheLatestOfEachSourceIsCombined() {
        let pairs = Observable.combineLatest(Self.numbers("a").enumerated(), Self.numbers("b").enumerated()) { a, b in
            "\(a.index) \(b.index)"
        }
        let last = take(12, of: pairs).last?.split(separator: " ").compactMap { Int($0) } ?? []
        XCTAssertEqual(last.count, 2)
        XCTAssertTrue(last.allSatisfy { $0 > 2 }, "\(last)")
    }
}
