import FreshetCore
import FreshetTesting
import Synchronization
import XCTest

final class RecoveringTests: CoreTestCase {
    private func failing(times: Int) -> Observable<Int> {
        let attempts = Counter()
        return .create { observer in
            let attempt = attempts.increment()
            observer.onNext(attempt)
            if attempt <= times { observer.onError(TestError(number: attempt)) } else { observer.onCompleted() }
            return Disposables.create()
        }
    }

    private func events<Element>(_ source: Observable<Element>) -> [Event<Element>] {
        let log = Log<Event<Element>>()
        source.subscribe { log.append($0) }.dispose()
        return log.all
    }

    func testCatchContinuesWithTheStreamOfTheHandler() {
        XCTAssertEqual(
            events(failing(times: 1).catch { .just(($0 as? TestError)?.number ?? 41) }),
            [.next(1), .next(1), .completed])
        XCTAssertEqual(events(failing(times: 1).catchAndReturn(7)), [.next(1), .next(7), .completed])
        XCTAssertEqual(
            events(failing(times: 1).catch { _ in throw TestError(number: 9) }),
            [.next(1), .error(TestError(number: 9))])
        XCTAssertEqual(
            events(failing(times: 1).catch { _ in .error(TestError(number: 8)) }),
            [.next(1), .error(TestError(number: 8))])
    }

    func testCatchOfASequenceEndsWithTheLastError() {
        let bad = Observable<Int>.error(TestError(number: 1))
        XCTAssertEqual(events(Observable.catch(sequence: [bad, .just(2), .just(3)])), [.next(2), .completed])
        XCTAssertEqual(events(Observable.catch(sequence: [bad, bad])), [.error(TestError(number: 1))])
        XCTAssertEqual(events(Observable<Int>.catch(sequence: [])), [.completed])
    }

    func testRetryCountsAllAttempts() {
        XCTAssertEqual(events(failing(times: 2).retry(3)), [.next(1), .next(2), .next(3), .completed])
        XCTAssertEqual(events(failing(times: 3).retry(2)), [.next(1), .next(2), .error(TestError(number: 2))])
        XCTAssertEqual(events(failing(times: 3).retry(0)), [.completed])
        XCTAssertEqual(events(failing(times: 3).retry()), [.next(1), .next(2), .next(3), .next(4), .completed])
    }

    func testRetryWhenFollowsItsTrigger() {
        XCTAssertEqual(
            events(failing(times: 2).retry(when: { $0.map { _ in } })), [.next(1), .next(2), .next(3), .completed])
        XCTAssertEqual(
            events(
                failing(times: 5).retry(when: { (errors: Observable<any Error>) in
                    errors.flatMap { error -> Observable<Int> in
                        (error as? TestError)?.number == 3 ? .error(TestError(number: 33)) : .just(0)
                    }
                })), [.next(1), .next(2), .next(3), .error(TestError(number: 33))])
        XCTAssertEqual(events(failing(times: 2).retry(when: { _ in Observable<Int>.empty() })), [.next(1), .completed])
    }

    func testAnEndedTriggerIsDisposedOf() {
        let source = ControlledSource<Int>(), ticks = ControlledSource<Int>()
        let subscription = source.stream.retry(when: { _ in ticks.stream.element(at: 0) }).subscribe { _ in }
        XCTAssertEqual(ticks.observers, 1)
        ticks.send(1)
        XCTAssertEqual([source.observers, ticks.observers], [1, 0])
        subscription.dispose()
    }

    func testRetryWhenOfATypePassesOtherErrors() {
        struct Other: Error {}
        XCTAssertEqual(
            events(failing(times: 2).retry(when: { (errors: Observable<Other>) in errors })),
            [.next(1), .error(TestError(number: 1))])
        XCTAssertEqual(
            events(failing(times: 1).retry(when: { (errors: Observable<TestError>) in errors })),
            [.next(1), .next(2), .completed])
    }

    func testDisposingStopsRetrying() {
        let attempts = Counter()
        let subscription = SerialDisposable()
        let source = Observable<Int>.create { observer in
            if attempts.increment() == 10 { subscription.dispose() }
            observer.onError(TestError())
            return Disposables.create()
        }
        let subject = PublishSubject<Int>()
        subscription.disposable = subject.flatMap { _ in source.retry() }.subscribe()
        subject.onNext(1)
        XCTAssertEqual(attempts.value, 10)
    }

    func testElementsOfARetriedStreamPassAtOnce() {
        let log = Locked<[String]>([])
        let note: @Sendable (String) -> Void = { line in log.withLock { $0.append(line) } }
        let stream = Observable<Int>.create { observer in
            observer.onNext(1)
            note("after 1")
            observer.onCompleted()
            return Disposables.create()
        }
        stream.retry(when: { $0 }).subscribe(onNext: { note("\($0)") }).dispose()
        XCTAssertEqual(log.withLock { $0 }, ["1", "after 1"])
    }

    /// A trigger emits where no other sequence of the thread runs, and the retried stream must be stopped there too.
    func testAnEndlessStreamThatATriggerStartsIsStopped() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let (attempts, made) = (Locked(0), Locked(0))
        let stream = Observable<Int>.deferred {
            let isFirst = attempts.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { return .error(Fault.first) }
            return Observable.generate(
                initialState: 0, condition: { $0 < 1000 },
                iterate: { number in
                    made.withLock { $0 += 1 }
                    return number + 1
                })
        }
        let recorder = Recorder<Int>()
        let subscription = stream.retry(when: { $0.delay(.seconds(10), scheduler: scheduler) }).take(3).subscribe(
            recorder)
        scheduler.start()
        XCTAssertEqual(recorder.events, [.next(0), .next(1), .next(2), .completed])
        XCTAssertLessThan(made.withLock { $0 }, 5)
        subscription.dispose()
    }

    func testEachSourceOfALazySequenceIsMadeWhenThePreviousOneHasFailed() {
        let calls = Log<Int>()
        let sources = [1, 2, 3].lazy.map { number -> Observable<Int> in
            calls.append(number)
            return number == 2 ? .just(number) : .error(Fault.first)
        }
        XCTAssertEqual(Observable.catch(sequence: sources).record().events, [.next(2), .completed])
        XCTAssertEqual(calls.all, [1, 2])
    }
}

final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .acquiring) }

    @discardableResult
    func increment() -> Int {
        count.add(1, ordering: .acquiringAndReleasing).newValue
    }
}
