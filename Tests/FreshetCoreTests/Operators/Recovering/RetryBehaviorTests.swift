import FreshetCore
import FreshetTesting
import XCTest

final class RetryBehaviorTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)

    /// The times at which `retry` subscribes to a stream that fails at once.
    private func attempts(_ behavior: RetryBehavior, until end: Int = 1000) -> [Int] {
        let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(0, Fault.first)])
        let start = scheduler.clock
        let subscription = source.asObservable().retry(behavior, scheduler: scheduler).subscribe(onError: { _ in })
        scheduler.advanceBy(end)
        subscription.dispose()
        return source.subscriptions.map { $0.subscribe - start }
    }

    func testTheDelayGrowsUpToItsMaximum() {
        XCTAssertEqual(attempts(.backoff(.seconds(1), jitter: .none, maxAttempts: 4)), [0, 1, 3, 7])
        XCTAssertEqual(
            attempts(.backoff(.seconds(2), multiplier: 3, maximum: .seconds(10), jitter: .none), until: 40),
            [0, 2, 8, 18, 28, 38])
        XCTAssertEqual(
            attempts(.backoff(.seconds(5), multiplier: 1, jitter: .none), until: 17), [0, 5, 10, 15])
        XCTAssertEqual(
            attempts(.backoff(.seconds(9), maximum: .seconds(4), jitter: .none), until: 9), [0, 4, 8])
    }

    func testFullJitterUsesARandomPartOfTheDelay() {
        let chances = Locked([0.0, 0.5, 0.25])
        let behavior = RetryBehavior.backoff(
            .seconds(8), maxAttempts: 4, random: { chances.withLock { $0.removeFirst() } })
        XCTAssertEqual(attempts(behavior), [0, 0, 8, 16])
    }

    func testTheDelayIsConstantOrZeroOrReturnedByAClosure() {
        XCTAssertEqual(attempts(.delayed(.seconds(3), maxAttempts: 3)), [0, 3, 6])
        XCTAssertEqual(attempts(.immediate(maxAttempts: 3)), [0, 0, 0])
        XCTAssertEqual(attempts(.immediate(maxAttempts: 1)), [0])
        XCTAssertEqual(attempts(.custom { retry, _ in retry < 3 ? .seconds(retry) : nil }), [0, 1, 3])
    }

    func testTheDelayStaysAtItsMaximumAfterAMillionRetries() throws {
        let behavior = RetryBehavior.backoff(.nanoseconds(1), jitter: .none)
        XCTAssertEqual(try behavior.wait(beforeRetry: 1_000_000, after: Fault.first), .seconds(60))
        let impatient = RetryBehavior.backoff(.zero, jitter: .none)
        XCTAssertEqual(try impatient.wait(beforeRetry: 1_000_000, after: Fault.first), .zero)
    }

    func testTheErrorOfTheLastAttemptIsEmitted() {
        let source = scheduler.createColdObservable([.next(0, 1), .error(1, Fault.first)])
        let result = scheduler.start { [scheduler] in
            source.asObservable().retry(.delayed(.seconds(10), maxAttempts: 2), scheduler: scheduler)
        }
        XCTAssertEqual(result.events, [.next(200, 1), .next(211, 1), .error(212, Fault.first)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 201), Subscription(211, 212)])
    }

    func testOnlyErrorsAcceptedByShouldRetryAreRetried() {
        let calls = Log<Fault>()
        let failures = Locked([Fault.first, .first, .second, .first])
        let source = Observable<Int>.deferred { .error(failures.withLock { $0.removeFirst() }) }
        let result = source.retry(.immediate(maxAttempts: 9), scheduler: scheduler) { error in
            calls.append(error as! Fault)
            return error as? Fault == .first
        }
        XCTAssertEqual(result.record().events, [.error(Fault.second)])
        XCTAssertEqual(calls.all, [.first, .first, .second])
        let throwing = source.retry(.immediate(maxAttempts: 9), scheduler: scheduler) { _ in throw Fault.second }
        XCTAssertEqual(throwing.record().events, [.error(Fault.second)])
        let silly = Observable<Int>.error(Fault.first)
            .retry(.custom { _, _ in throw Fault.second }, scheduler: scheduler)
        XCTAssertEqual(silly.record().events, [.error(Fault.second)])
    }

    func testAnElementResetsTheCountOfAttemptsIfConfigured() {
        // Every attempt emits an element, and then the error.
        let source = scheduler.createColdObservable([.next(1, 1), .error(2, Fault.first)])
        var behavior = RetryBehavior.backoff(.seconds(10), jitter: .none, maxAttempts: 3)
        behavior.resetsOnElement = true
        let lasting = scheduler.start(disposed: 250) { [scheduler, behavior] in
            source.asObservable().retry(behavior, scheduler: scheduler)
        }
        XCTAssertEqual(lasting.events, [.next(201, 1), .next(213, 1), .next(225, 1), .next(237, 1), .next(249, 1)])
    }

    /// A timeout behind the retries would end with an error of its own, and the reason of the failures would be lost.
    func testNoRetryBeginsAfterTheLongestDurationAndTheLastErrorIsPassedOn() {
        let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(2, Fault.first)])
        var behavior = RetryBehavior.delayed(.seconds(10))
        behavior.maxDuration = .seconds(22)
        let limited = scheduler.start { [scheduler, behavior] in
            source.asObservable().retry(behavior, scheduler: scheduler)
        }
        XCTAssertEqual(source.subscriptions.map(\.subscribe), [200, 212, 224])
        XCTAssertEqual(limited.events, [.error(226, Fault.first)])
    }

    /// The time between the element and the error does not count.
    func testTheLongestDurationBeginsAnewWithTheErrorAfterAnElementThatResets() {
        let source = scheduler.createColdObservable([.next(1, 1), .error(7, Fault.first)])
        var behavior = RetryBehavior.delayed(.seconds(10))
        behavior.resetsOnElement = true
        behavior.maxDuration = .seconds(12)
        let lasting = scheduler.start(disposed: 250) { [scheduler, behavior] in
            source.asObservable().retry(behavior, scheduler: scheduler)
        }
        XCTAssertEqual(lasting.events, [.next(201, 1), .next(218, 1), .next(235, 1)])
    }

    func testDisposingCancelsAWaitingRetry() {
        let source = ControlledSource<Int>()
        let subscription = source.stream.retry(.delayed(.seconds(5)), scheduler: scheduler).subscribe()
        source.fail()
        XCTAssertEqual(source.observers, 0)
        subscription.dispose()
        scheduler.start()
        XCTAssertEqual(source.subscriptions, 1)
    }

    func testARetriedSourceIsPausedDuringAPause() {
        let source = ControlledSource<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = source.stream.retry(.delayed(.seconds(5)), scheduler: scheduler).subscribe(Recorder())
        source.fail()
        subscription.pause()
        scheduler.start()
        XCTAssertEqual(source.observers, 1)
        XCTAssertEqual(source.log.last, "pause")
        subscription.resume()
        XCTAssertEqual(source.log.last, "resume")
        subscription.dispose()
    }

    func testManyRetriesDoNotDeepenTheStack() {
        onASmallStack { [scheduler] in
            let runs = Counter()
            let source = Observable<Int>.create { observer in
                if runs.increment() < 20_000 { observer.onError(Fault.first) } else { observer.onCompleted() }
                return Disposables.create()
            }
            XCTAssertEqual(
                source.retry(.immediate(maxAttempts: .max), scheduler: scheduler).record().events, [.completed])
        }
    }

    func testASingleIsRetried() {
        let runs = Counter()
        let single = Single<Int>.deferred { runs.increment() < 3 ? .error(Fault.first) : .just(7) }
        let result = scheduler.start { [scheduler] in
            single.retry(.backoff(.seconds(1), jitter: .none), scheduler: scheduler).asObservable()
        }
        XCTAssertEqual(result.events, [.next(203, 7), .completed(203)])
    }

    func testABackoffWithANegativeWaitIsAProgrammingError() throws {
        let test = "FreshetCoreTests.RetryBehaviorTests/testABackoffWithANegativeWaitIsAProgrammingError"
        guard let end = try inChildProcess(test) else {
            _ = RetryBehavior.backoff(.seconds(-1))
            return
        }
        XCTAssertNotEqual(end.status, 0)
        XCTAssertTrue(end.text.contains("waits of zero or more"), end.text)
    }

    func testABackoffOfZeroDoesNotWait() throws {
        XCTAssertEqual(attempts(.backoff(.zero, jitter: .none, maxAttempts: 3)), [0, 0, 0])
        XCTAssertEqual(attempts(.backoff(.seconds(1), maximum: .zero, jitter: .none, maxAttempts: 3)), [0, 0, 0])
    }
}
