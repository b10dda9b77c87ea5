import FreshetCore
import FreshetTesting
import XCTest

final class RecoveringSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    /// Sends three numbers within the subscribing call, also to an observer that has gone.
    private func threeAtOnce() -> Observable<Int> {
        .create { observer in
            for number in 1...3 { observer.onNext(number) }
            return Disposables.create()
        }
    }

    private func failing(at bad: Int) -> Observable<Int> {
        threeAtOnce().map { number in
            if number == bad { throw Fault.first }
            return number
        }
    }

    func testNoElementOfAFailedAttemptFollowsItsError() {
        XCTAssertEqual(failing(at: 2).retry(2).record().events, [.next(1), .next(1), .error(Fault.first)])
        XCTAssertEqual(failing(at: 2).catchAndReturn(9).record().events, [.next(1), .next(9), .completed])
        XCTAssertEqual(
            failing(at: 2).retry { errors in errors.take(1) }.record().events, [.next(1), .next(1), .completed])
        XCTAssertEqual(
            Observable.catch(sequence: [failing(at: 1), failing(at: 3), .just(5)]).record().events,
            [.next(1), .next(2), .next(5), .completed])
    }

    func testRetryCountsAttemptsAndNotRepetitions() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, Fault.first)])
        let result = scheduler.start { source.retry(3) }
        XCTAssertEqual(
            result.events, [.next(210, 1), .next(230, 1), .next(250, 1), .error(260, Fault.first)])
        XCTAssertEqual(
            source.subscriptions, [Subscription(200, 220), Subscription(220, 240), Subscription(240, 260)])
    }

    func testRetryOfZeroAttemptsCompletesWithoutSubscribing() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, Fault.first)])
        let result = scheduler.start { source.retry(0) }
        XCTAssertEqual(result.events, [.completed(200)])
        XCTAssertEqual(source.subscriptions, [])
    }

    func testRetryWithoutALimitRepeatsUntilItIsDisposedOf() {
        let source = scheduler.createColdObservable([.next(50, 1), .error(150, Fault.first)])
        let result = scheduler.start(disposed: 560) { source.retry() }
        XCTAssertEqual(result.events, [.next(250, 1), .next(400, 1), .next(550, 1)])
        XCTAssertEqual(
            source.subscriptions, [Subscription(200, 350), Subscription(350, 500), Subscription(500, 560)])
    }

    func testCatchContinuesWhenTheSourceFails() {
        let source = scheduler.createHotObservable([.next(210, 1), .error(230, Fault.first)])
        let other = scheduler.createColdObservable([.next(10, 2), .error(30, Fault.second)])
        let result = scheduler.start { source.catch { _ in other.asObservable() } }
        XCTAssertEqual(result.events, [.next(210, 1), .next(240, 2), .error(260, Fault.second)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 230)])
        XCTAssertEqual(other.subscriptions, [Subscription(230, 260)])
    }

    func testAThrowingHandlerFailsTheStreamWithItsOwnError() {
        let source = scheduler.createHotObservable([.next(210, 1), .error(230, Fault.first)])
        let result = scheduler.start { source.catch { _ in throw Fault.second } }
        XCTAssertEqual(result.events, [.next(210, 1), .error(230, Fault.second)])
    }

    func testAttemptsFollowTheTrigger() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, Fault.first)])
        let result = scheduler.start { [scheduler] in
            source.retry { errors in
                errors.enumerated().flatMap { index, error -> Observable<Int> in
                    index == 2 ? .error(error) : .timer(.seconds(100), scheduler: scheduler)
                }
            }
        }
        XCTAssertEqual(
            result.events, [.next(210, 1), .next(330, 1), .next(450, 1), .error(460, Fault.first)])
        XCTAssertEqual(
            source.subscriptions, [Subscription(200, 220), Subscription(320, 340), Subscription(440, 460)])
    }

    func testACompletedTriggerCompletesTheStreamAtTheNextError() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, Fault.first)])
        let result = scheduler.start { source.retry { (_: Observable<any Error>) in Observable<Int>.empty() } }
        XCTAssertEqual(result.events, [.next(210, 1), .completed(220)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
    }

    func testASilentTriggerReleasesTheSourceAndWaits() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, Fault.first)])
        let result = scheduler.start { source.retry { (_: Observable<any Error>) in Observable<Int>.never() } }
        XCTAssertEqual(result.events, [.next(210, 1)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
    }

    func testAnErrorOfAnotherTypeBypassesTheTrigger() {
        let source: TestableObservable<Int> = scheduler.createColdObservable([.error(20, TestError(number: 1))])
        let result = scheduler.start { () -> Observable<Int> in
            source.retry { (errors: Observable<Fault>) in errors.map { _ in 1 } }
        }
        XCTAssertEqual(result.events, [.error(220, TestError(number: 1))])
    }
}
