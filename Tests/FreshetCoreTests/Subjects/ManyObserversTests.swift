import FreshetCore
import XCTest

/// A subject with many observers, which come and go.
final class ManyObserversTests: CoreTestCase {
    func testObserversThatStayReceiveElementsInTheOrderOfTheirSubscriptionWhicheverLeave() {
        for seed in UInt64(1)...50 {
            var random = SplitMix(state: seed)
            let subject = PublishSubject<Int>()
            let log = Log<Int>()
            var present: [(number: Int, subscription: any Disposable)] = []
            for number in 0..<200 {
                // Sometimes more leave than come, so that the list is empty from time to time.
                if !present.isEmpty, random.next(100) < (number / 40 % 2 == 0 ? 30 : 70) {
                    present.remove(at: random.next(present.count)).subscription.dispose()
                } else {
                    present.append((number, subject.subscribe(onNext: { _ in log.append(number) })))
                }
                let before = log.all.count
                subject.onNext(number)
                XCTAssertEqual(Array(log.all[before...]), present.map(\.number), "seed \(seed)")
            }
            XCTAssertEqual(subject.hasObservers, !present.isEmpty)
            present.forEach { $0.subscription.dispose() }
            XCTAssertFalse(subject.hasObservers)
        }
    }

    func testObserversThatLeaveInsideAnElementAreSkippedByTheNext() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let subscriptions = Locked<[any Disposable]>([])
        for number in 0..<10 {
            let subscription = subject.subscribe(onNext: { element in
                log.append(number)
                if element == 0, number == 4 { subscriptions.withLock { $0.prefix(8) }.forEach { $0.dispose() } }
            })
            subscriptions.withLock { $0.append(subscription) }
        }
        subject.onNext(0)
        subject.onNext(1)
        XCTAssertEqual(log.all, [0, 1, 2, 3, 4, 8, 9, 8, 9])
        subscriptions.withLock { subscriptions in
            defer { subscriptions = [] }
            return subscriptions
        }.forEach { $0.dispose() }
    }

    /// With a search for each one this took minutes.
    func testAHundredThousandObserversLeaveInAnyOrder() {
        let count = 100_000
        let orders: [([any Disposable]) -> [any Disposable]] = [{ $0 }, { $0.reversed() }, { Self.shuffled($0) }]
        for order in orders {
            let subject = PublishSubject<Int>()
            let subscriptions = (0..<count).map { _ in subject.subscribe() }
            for subscription in order(subscriptions) { subscription.dispose() }
            XCTAssertFalse(subject.hasObservers)
        }
    }

    func testAHundredThousandObserversComeAndGoBesideThoseThatStay() {
        let subject = BehaviorSubject(value: 0)
        let sum = Log<Int>()
        let stay = (0..<10_000).map { _ in subject.subscribe() }
        let last = subject.skip(1).subscribe(onNext: { sum.append($0) })
        for _ in 0..<100_000 { subject.subscribe().dispose() }
        subject.onNext(1)
        XCTAssertEqual(sum.all, [1])
        stay.forEach { $0.dispose() }
        last.dispose()
        XCTAssertFalse(subject.hasObservers)
    }

    private static func shuffled(_ all: [any Disposable]) -> [any Disposable] {
        var random = SplitMix(state: 7)
        var all = all
        for index in all.indices.dropFirst() { all.swapAt(index, random.next(index + 1)) }
        return all
    }

    private struct SplitMix {
        var state: UInt64

        mutating func next(_ bound: Int) -> Int {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
        }
    }
}
