import FreshetCore
import FreshetTesting
import XCTest

/// Tests a fast source with a slow subscriber, for which other libraries offer throttling or an unbounded buffer.
final class BackPressureTests: CoreTestCase {
    /// RxSwift #1376.
    func testRule14AFastSourceWaitsForASlowSubscriber() {
        let scheduler = TestScheduler(initialClock: 0)
        let made = Counter()
        let numbers = Observable.from(
            sequence(state: ()) { _ in
                made.increment()
            })
        let recorder = Recorder<Int>()
        let subscription = numbers.map { $0 }.observe(on: scheduler, buffering: 2...8).subscribe(recorder)
        for _ in 0..<200 {
            scheduler.advanceBy(1)
            XCTAssertLessThanOrEqual(made.value - recorder.elements.count, 9)
        }
        XCTAssertEqual(recorder.elements.count, 200)
        subscription.dispose()
    }

    /// ReactiveSwift #42: the next page must not be requested before the previous page has been read.
    func testRule14ASlowReaderRequestsPagesOneByOne() async throws {
        let requests = Counter()
        @Sendable func pages(_ number: Int) -> Observable<Int> {
            .deferred {
                requests.increment()
                return Observable.from(number * 10..<number * 10 + 10).concat(pages(number + 1))
            }
        }
        var reader = pages(0).values(buffering: 0...1).makeAsyncIterator()
        for number in 0..<35 {
            let next = try await reader.next()
            XCTAssertEqual(next, number)
            XCTAssertLessThanOrEqual(requests.value, (number + 1) / 10 + 1)
        }
    }
}
