import FreshetCore
import FreshetTesting
import XCTest

/// Tests batches that a consumer works on for longer than the time in which they are collected.
final class SlowBatchTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    /// Needs 100 units for each batch, and emits how many elements it has.
    private func work(on batches: Observable<Observable<Int>>) -> [Int] {
        let scheduler = scheduler
        let result = scheduler.start(created: 0, subscribed: 1, disposed: 2_000) {
            batches.concatMap { batch in
                batch.toArray().asObservable().flatMap { elements in
                    Observable<Int>.timer(.seconds(100), scheduler: scheduler).map { _ in elements.count }
                }
            }
        }
        XCTAssertEqual(result.events.last?.value, .completed)
        return result.events.compactMap(\.value.element)
    }

    func testASlowConsumerGetsEveryBatchOfABuffer() {
        let arrays = Observable.range(start: 0, count: 30).buffer(
            timeSpan: .seconds(30), count: 10, scheduler: scheduler)
        XCTAssertEqual(work(on: arrays.map { .from($0) }), [10, 10, 10, 0])
    }

    func testASlowConsumerGetsEveryBatchOfAWindow() {
        let windows = Observable.range(start: 0, count: 30).window(
            timeSpan: .seconds(30), count: 10, scheduler: scheduler)
        XCTAssertEqual(work(on: windows), [10, 10, 10, 0])
    }

    func testASlowConsumerGetsTheBatchesOfATimer() {
        let ticks = Observable<Int>.interval(.seconds(10), scheduler: scheduler).take(20)
        let counts = work(on: ticks.buffer(timeSpan: .seconds(30), count: 10, scheduler: scheduler).map { .from($0) })
        XCTAssertEqual(counts.reduce(0, +), 20)
    }
}
