import FreshetCore
import FreshetTesting
import XCTest

/// Tests `observe(on:)` with a scheduler that keeps the order of arrival, as a serial queue does.
final class ObserveOnInArrivalOrderTests: CoreTestCase {
    /// A queue whose work runs when the test says so.
    private final class Queue: ArrivalOrderScheduler, Sendable {
        private let waiting = Locked<[@Sendable () -> Void]>([])
        let count = Locked(0)

        func schedule<State: Sendable>(
            _ state: State, action: @escaping @Sendable (State) -> any Disposable
        ) -> any Disposable {
            count.withLock { $0 += 1 }
            waiting.withLock { $0.append { _ = action(state) } }
            return Disposables.create()
        }

        func run() {
            while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
        }
    }

    func testAConsumerThatPausesAtEachElementCausesOneDeliveryForEach() {
        let queue = Queue()
        let numbers = PublishSubject<Int>()
        let seen = Locked<[Int]>([])
        let subscription = numbers.observe(on: queue)
            .concatMap { Observable.just($0).observe(on: queue) }
            .subscribe(onNext: { number in seen.withLock { $0.append(number) } })
        for number in 1...100 { numbers.onNext(number) }
        queue.run()
        XCTAssertEqual(seen.withLock { $0 }, Array(1...100))
        // At most two pieces of work for each element outside, and two for each element and end inside.
        XCTAssertLessThan(queue.count.withLock { $0 }, 500)
        subscription.dispose()
    }
}
