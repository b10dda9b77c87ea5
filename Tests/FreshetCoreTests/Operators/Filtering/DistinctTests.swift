import FreshetCore
import XCTest

final class DistinctTests: CoreTestCase {
    func testAnEqualElementPassesOnce() {
        let recorder = Observable.of(1, 2, 1, 3, 2, 1).distinct().record()
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .next(3), .completed])
    }

    func testElementsAreComparedByTheirKeys() {
        XCTAssertEqual(Observable.of(1, 11, 2, 21).distinct(by: { $0 % 10 }).record().elements, [1, 2])
    }

    func testTheOldestKeyIsForgottenFirst() {
        // The element 1 arrives again before 3 does. It is forgotten nevertheless.
        XCTAssertEqual(Observable.of(1, 2, 1, 3, 2, 1).distinct(limit: 2).record().elements, [1, 2, 3, 1])
        XCTAssertEqual(Observable.of(1, 1, 2, 1).distinct(limit: 1).record().elements, [1, 2, 1])
    }

    private final class Key: Hashable, Sendable {
        let number: Int
        private let living: Locked<Int>

        init(_ number: Int, _ living: Locked<Int>) {
            self.number = number
            self.living = living
            living.withLock { $0 += 1 }
        }

        deinit { living.withLock { $0 -= 1 } }

        static func == (left: Key, right: Key) -> Bool { left.number == right.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    func testAtMostTheLimitOfKeysIsKept() {
        let living = Locked(0)
        let most = Locked(0)
        let stream = Observable.range(start: 0, count: 10_000).distinct(by: { Key($0, living) }, limit: 8)
        let subscription = stream.subscribe(onNext: { _ in
            let now = living.withLock { $0 }
            most.withLock { $0 = max($0, now) }
        })
        XCTAssertLessThanOrEqual(most.withLock { $0 }, 9)
        XCTAssertEqual(living.withLock { $0 }, 0)
        subscription.dispose()
    }

    func testEachSubscriptionHasItsOwnKeys() {
        let stream = Observable.of(1, 1).distinct()
        XCTAssertEqual(stream.record().elements, [1])
        XCTAssertEqual(stream.record().elements, [1])
    }
}
