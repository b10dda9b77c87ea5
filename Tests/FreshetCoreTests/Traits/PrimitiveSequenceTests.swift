import FreshetCore
import FreshetTesting
import XCTest

/// Tests the common behaviour of all traits, on virtual time.
final class PrimitiveSequenceTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    private func events<Trait, Element>(
        _ sequence: PrimitiveSequence<Trait, Element>
    ) -> [Recorded<Event<Element>>] {
        scheduler.start { sequence }.events
    }

    func testADeferredTraitIsMadeForEachSubscription() {
        let made = Log<Int>()
        let single = Single<Int>.deferred {
            made.append(0)
            return .just(made.all.count)
        }
        XCTAssertEqual(made.all.count, 0)
        XCTAssertEqual(single.asObservable().record().elements + single.asObservable().record().elements, [1, 2])
        let failing = Completable.deferred { throw Fault.first }
        XCTAssertEqual(events(failing), [.error(200, Fault.first)])
    }

    func testAResourceIsDisposedOfWithTheTrait() {
        let resource = BooleanDisposable()
        let maybe = Maybe.using({ resource }) { resource in .just(resource.isDisposed) }
        XCTAssertEqual(events(maybe), [.next(200, false), .completed(200)])
        XCTAssertTrue(resource.isDisposed)
        let failing = Single<Int>.using({ () throws -> BooleanDisposable in throw Fault.first }) { _ in .just(1) }
        XCTAssertEqual(failing.asObservable().record().events, [.error(Fault.first)])
        let unused = BooleanDisposable()
        let late = Completable.using({ unused }) { _ in throw Fault.second }
        XCTAssertEqual(late.asObservable().record().events, [.error(Fault.second)])
        XCTAssertTrue(unused.isDisposed)
    }

    func testASuccessIsDelayedAndAFailureIsNot() {
        XCTAssertEqual(
            events(Maybe.just(1).delay(.seconds(10), scheduler: scheduler)), [.next(210, 1), .completed(211)])
        let other = TestScheduler(initialClock: 0)
        let failing = Single<Int>.error(Fault.first).delay(.seconds(10), scheduler: other)
        XCTAssertEqual(other.start { failing }.events, [.error(200, Fault.first)])
    }

    func testDelaySubscriptionSubscribesLater() {
        let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let single = source.asObservable().asSingle().delaySubscription(.seconds(30), scheduler: scheduler)
        XCTAssertEqual(events(single), [.next(250, 1), .completed(250)])
        XCTAssertEqual(source.subscriptions, [Subscription(230, 250)])
    }

    func testATraitWithoutAResultTimesOut() {
        XCTAssertEqual(
            events(Completable.never().timeout(.seconds(30), scheduler: scheduler)), [.error(230, RxError.timeout)])
        let other = TestScheduler(initialClock: 0)
        let replaced = Single.never().timeout(.seconds(30), other: Single.just(7), scheduler: other)
        XCTAssertEqual(other.start { replaced }.events, [.next(230, 7), .completed(230)])
    }

    func testTheResultIsDeliveredOnTheScheduler() {
        XCTAssertEqual(events(Maybe.just(1).observe(on: scheduler)), [.next(201, 1), .completed(202)])
        let other = TestScheduler(initialClock: 0)
        XCTAssertEqual(other.start { Completable.empty().subscribe(on: other) }.events, [.completed(201)])
    }

    func testATimerEmitsOneZero() {
        XCTAssertEqual(events(Maybe<Int>.timer(.seconds(10), scheduler: scheduler)), [.next(210, 0), .completed(210)])
    }

    func testAFailureIsRetriedWhenTheTriggerEmits() {
        let attempts = Log<Int>()
        let single = Single<Int>.deferred {
            attempts.append(0)
            return attempts.all.count < 3 ? .error(Fault.first) : .just(attempts.all.count)
        }
        let patient = single.retry { [scheduler] (errors: Observable<Fault>) in
            errors.flatMap { _ in Observable<Int>.timer(.seconds(10), scheduler: scheduler) }
        }
        XCTAssertEqual(events(patient), [.next(220, 3), .completed(220)])
        let strict = Completable.error(Fault.first).retry { (errors: Observable<RxError>) in errors }
        XCTAssertEqual(strict.asObservable().record().events, [.error(Fault.first)])
    }

    func testAHandlerReplacesAFailure() {
        let maybe = Maybe<Int>.error(Fault.first).catch { _ in .error(Fault.second) }
        XCTAssertEqual(maybe.asObservable().record().events, [.error(Fault.second)])
        XCTAssertEqual(
            Completable.error(Fault.first).catch { _ in .empty() }.asObservable().record().events, [.completed])
    }
}
