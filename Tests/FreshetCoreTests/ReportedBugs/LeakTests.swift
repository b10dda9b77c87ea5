import FreshetCore
import FreshetTesting
import XCTest

/// Tests objects that other libraries keep for too long.
final class LeakTests: CoreTestCase {
    /// RxSwift #2249: a subscription that no object holds lives as long as its source, as Rx specifies, and no longer.
    func testRule4AnUnheldSubscriptionIsReleasedWithItsSource() {
        let before = Resources.total
        for _ in 0..<1000 {
            let subject = PublishSubject<Int>()
            _ = subject.map { $0 + 1 }.filter { $0 > 0 }.scan(0, accumulator: +).subscribe()
            _ = Observable.of(1, 2).flatMap { Observable.just($0) }.subscribe()
            subject.onNext(1)
        }
        XCTAssertEqual(Resources.total, before)
        let bytes = ContractChecker()
        weak var held: ContractChecker?
        do {
            let captured = ContractChecker()
            held = captured
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = Observable<Int>.interval(.seconds(1), scheduler: scheduler)
                .do(onNext: { captured.on(.next($0)) }).subscribe(bytes)
            scheduler.advanceTo(3)
            subscription.dispose()
        }
        XCTAssertEqual(bytes.events, 3)
        XCTAssertNil(held)
    }

    /// RxSwift #573 and #2364: a long-lived bag kept every subscription that had ended.
    func testRule4ABagReleasesSubscriptionsThatHaveEnded() {
        let bag = DisposeBag()
        let before = Resources.total
        let clients = Locked<[Weak]>([])
        for _ in 0..<5000 {
            let client = ContractChecker()
            clients.withLock { $0.append(Weak(client)) }
            Observable.just(1).single().subscribe(onNext: { client.on(.next($0)) }).disposed(by: bag)
        }
        XCTAssertLessThan(Resources.total, before + 64)
        XCTAssertLessThan(clients.withLock { $0.filter { $0.checker != nil }.count }, 64)
        withExtendedLifetime(bag) {}
    }

    /// RxSwift #1422: a long-lived bag kept the ended subscriptions of `take(1)`.
    func testRule4ABagReleasesAnEndedTakeOfARunningSource() {
        let bag = DisposeBag()
        let subject = PublishSubject<Int>()
        let before = Resources.total
        for number in 0..<1000 {
            subject.take(1).subscribe().disposed(by: bag)
            subject.onNext(number)
        }
        XCTAssertLessThan(Resources.total, before + 64)
        XCTAssertFalse(subject.hasObservers)
        withExtendedLifetime(bag) {}
    }

    func testRule4ABagReleasesMaybesThatHaveEnded() {
        let bag = DisposeBag()
        let before = Resources.total
        for number in 0..<1000 {
            let source = BehaviorSubject(value: number)
            source.take(1).asMaybe().subscribe(onSuccess: { _ in }, onDisposed: { _ = source }).disposed(by: bag)
        }
        XCTAssertLessThan(Resources.total, before + 64)
        withExtendedLifetime(bag) {}
    }

    private struct Weak {
        weak var checker: ContractChecker?

        init(_ checker: ContractChecker) {
            self.checker = checker
        }
    }
}
