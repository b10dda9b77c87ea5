import FreshetCore
import FreshetTesting
import XCTest

/// Tests disposables after their end, and bindings to an object.
final class DisposableSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testACompositeDisposableRemovesByKeyAndRejectsMembersAfterItsDisposal() {
        let log = Log<Int>()
        let composite = CompositeDisposable()
        let keys = (0..<3).map { number in composite.insert(Disposables.create { log.append(number) }) }
        if let key = keys[1] {
            composite.remove(for: key)
            composite.remove(for: key)
        }
        XCTAssertEqual(composite.count, 2)
        composite.dispose()
        XCTAssertEqual(composite.count, 0)
        XCTAssertTrue(composite.isDisposed)
        XCTAssertNil(composite.insert(Disposables.create { log.append(3) }))
        XCTAssertEqual(log.all, [1, 0, 2, 3])
    }

    func testARefCountDisposableEndsWhenItAndAllItsDependentsAreDisposedOf() {
        let ends = Log<Int>()
        let counted = RefCountDisposable(disposable: Disposables.create { ends.append(1) })
        let first = counted.retain(), second = counted.retain()
        counted.dispose()
        counted.dispose()
        first.dispose()
        first.dispose()
        XCTAssertFalse(counted.isDisposed)
        let third = counted.retain()
        second.dispose()
        XCTAssertEqual(ends.all, [])
        third.dispose()
        XCTAssertEqual(ends.all, [1])
        XCTAssertTrue(counted.isDisposed)
        counted.retain().dispose()
        XCTAssertEqual(ends.all, [1])
    }

    func testADisposedSerialDisposableDisposesOfANewDisposable() {
        let ends = Log<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = Disposables.create { ends.append(1) }
        subscription.dispose()
        subscription.dispose()
        subscription.disposable = Disposables.create { ends.append(2) }
        XCTAssertEqual(ends.all, [1, 2])
        XCTAssertTrue(subscription.isDisposed)
    }

    func testAScheduledDisposableIsDisposedOfByItsScheduler() {
        let times = Log<Int>()
        let disposable = ScheduledDisposable(
            scheduler: scheduler, disposable: Disposables.create { [scheduler] in times.append(scheduler.clock) })
        scheduler.scheduleAt(100) { disposable.dispose() }
        scheduler.scheduleAt(100) { disposable.dispose() }
        scheduler.start()
        XCTAssertEqual(times.all, [101])
        XCTAssertTrue(disposable.isDisposed)
    }

    func testABagDisposesOfItsMembersInOrder() {
        let ends = Log<Int>()
        var bag: DisposeBag? = DisposeBag()
        for number in 0..<3 { bag?.insert(Disposables.create { ends.append(number) }) }
        bag = nil
        XCTAssertEqual(ends.all, [0, 1, 2])
    }

    func testABinderDropsElementsAfterItsObjectIsReleased() {
        final class Target: Sendable { let seen = Log<Int>() }
        var target: Target? = Target()
        let seen = target?.seen
        let subject = PublishSubject<Int>()
        if let target {
            let binder = Binder<Int>(target, scheduler: CurrentThreadScheduler.instance) { target, number in
                target.seen.append(number)
            }
            _ = subject.bind(to: binder)
        }
        subject.onNext(1)
        target = nil
        subject.onNext(2)
        subject.onCompleted()
        XCTAssertEqual(seen?.all, [1])
    }
}
