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

        func runFirst() { waiting.withLock { $0.removeFirst() }() }

        func run() {
            while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
        }
    }

    /// Otherwise a handler that a later piece of work runs could find the inner stream of a `flatMapFirst` still running, or not.
    func testTheElementOfASingleAndItsCompletionAreOnePieceOfWork() {
        let queue = Queue()
        for trait in [
            Single.just(1).observe(on: queue).asObservable(), Maybe.just(1).observe(on: queue).asObservable(),
        ] {
            let seen = Locked<[String]>([])
            let subscription = trait.subscribe { event in seen.withLock { $0.append("\(event)") } }
            queue.runFirst()
            XCTAssertEqual(seen.withLock { $0 }, ["next(1)", "completed"])
            queue.run()
            XCTAssertEqual(seen.withLock { $0 }, ["next(1)", "completed"])
            subscription.dispose()
        }
        let empty = Locked<[String]>([])
        let subscription = Maybe<Int>.empty().observe(on: queue).asObservable()
            .subscribe { event in empty.withLock { $0.append("\(event)") } }
        queue.run()
        XCTAssertEqual(empty.withLock { $0 }, ["completed"])
        subscription.dispose()
    }

    /// As for each observer of a single, and on each scheduler.
    func testAnErrorAfterTheElementOfASingleIsNone() {
        let queue = Queue()
        let log = Locked<[String]>([])
        let source = Single.just(1).do(afterSuccess: { _ in throw Fault.first })
        for scheduler in [queue, CurrentThreadScheduler.instance] as [any ImmediateSchedulerType] {
            let subscription = source.observe(on: scheduler)
                .subscribe { result in log.withLock { $0.append((try? result.get()).map { "\($0)" } ?? "failed") } }
            queue.run()
            subscription.dispose()
        }
        XCTAssertEqual(log.withLock { $0 }, ["1", "1"])
    }

    /// The cancellation of a request that has succeeded would be logged as such.
    func testASourceCompletesBeforeItsElementIsDelivered() {
        let queue = Queue()
        let log = Locked<[String]>([])
        let source = Single<Int>.create { observer in
            observer(.success(1))
            return Disposables.create()
        }.asObservable().do(onCompleted: { log.withLock { $0.append("completed") } }).asSingle()
        let subscription = source.observe(on: queue).subscribe { _ in log.withLock { $0.append("result") } }
        queue.run()
        XCTAssertEqual(log.withLock { $0 }, ["completed", "result"])
        subscription.dispose()
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
