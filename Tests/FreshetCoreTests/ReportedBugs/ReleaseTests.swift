import FreshetCore
import FreshetTesting
import XCTest

/// Tests when the library releases elements, and that their release can call the library.
final class ReleaseTests: CoreTestCase {
    private final class Item: Sendable {
        private let onRelease: @Sendable () -> Void

        init(onRelease: @escaping @Sendable () -> Void = {}) {
            self.onRelease = onRelease
        }

        deinit { onRelease() }
    }

    private struct Weak {
        weak var item: Item?
    }

    func testRule8TheReleaseOfAnElementTakenFromValuesCanSendAnother() async throws {
        let subject = PublishSubject<Item>()
        let hasEnded = expectation(description: "all elements are taken")
        let task = Task {
            var iterator = subject.values.makeAsyncIterator()
            subject.onNext(Item { subject.onNext(Item()) })
            subject.onNext(Item())
            for _ in 0..<3 { _ = try await iterator.next() }
            hasEnded.fulfill()
        }
        await fulfillment(of: [hasEnded], timeout: 30)
        task.cancel()
    }

    func testValuesReleasesTheElementsThatATaskHasTaken() async throws {
        let subject = PublishSubject<Item>()
        let items = Log<Weak>()
        var iterator = subject.values(buffering: 0...1000).makeAsyncIterator()
        for _ in 0..<100 {
            let item = Item()
            items.append(Weak(item: item))
            subject.onNext(item)
        }
        for _ in 0..<49 { _ = try await iterator.next() }
        XCTAssertEqual(items.all.filter { $0.item != nil }.count, 51)
        withExtendedLifetime(iterator) {}
    }

    func testDelayReleasesTheElementsThatItHasDelivered() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let items = Log<Weak>()
        let subscription = Observable<Int>.interval(.seconds(1), scheduler: scheduler)
            .map { _ in
                let item = Item()
                items.append(Weak(item: item))
                return item
            }
            .delay(.milliseconds(2500), scheduler: scheduler).subscribe()
        scheduler.advanceTo(500)
        XCTAssertLessThanOrEqual(items.all.filter { $0.item != nil }.count, 4)
        subscription.dispose()
    }

    /// An owner keeps its bag, the bag the subscription, and the closure the owner.
    func testRule4TheStopEventReleasesTheClosuresOfASubscriptionThatIsHeld() {
        let items = Log<Weak>()
        func held(_ subscribe: (Item) -> any Disposable) -> any Disposable {
            let item = Item()
            items.append(Weak(item: item))
            return subscribe(item)
        }
        let fault = Observable<Int>.error(Fault.first)
        let subscriptions = [
            held { item in Observable.just(1).subscribe(onNext: { _ in withExtendedLifetime(item) {} }) },
            held { item in Observable.just(1).subscribe { _ in withExtendedLifetime(item) {} } },
            held { item in Observable.just(1).subscribe(onDisposed: { withExtendedLifetime(item) {} }) },
            held { item in fault.subscribe(onError: { _ in withExtendedLifetime(item) {} }) },
            held { item in Single.just(1).subscribe(onSuccess: { _ in withExtendedLifetime(item) {} }) },
            held { item in Single.just(1).subscribe(onDisposed: { withExtendedLifetime(item) {} }) },
            held { item in fault.asSingle().subscribe(onFailure: { _ in withExtendedLifetime(item) {} }) },
        ]
        XCTAssertEqual(items.all.map { $0.item == nil }, [Bool](repeating: true, count: subscriptions.count))
        withExtendedLifetime(subscriptions) {}
    }
}
