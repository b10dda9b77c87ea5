import FreshetTesting
import XCTest

@testable import FreshetCore

final class UtilityTests: CoreTestCase {
    func testDoCallsItsClosuresInOrder() {
        let log = Log<String>()
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create { log.append("source disposed") }
        }
        _ = source.do(
            onNext: { log.append("next \($0)") }, afterNext: { log.append("after \($0)") },
            onCompleted: { log.append("completed") }, afterCompleted: { log.append("after completed") },
            onSubscribe: { log.append("subscribe") }, onSubscribed: { log.append("subscribed") },
            onDispose: { log.append("disposed") }
        ).subscribe { log.append("\($0)") }
        XCTAssertEqual(
            log.all,
            [
                "subscribe", "next 1", "next(1)", "after 1", "completed", "completed", "after completed",
                "source disposed", "subscribed", "disposed",
            ])
    }

    func testAnErrorThrownInDoFailsTheStream() {
        let log = Log<Event<Int>>()
        _ = Observable.just(1).do(onNext: { _ in throw TestError() }).subscribe { log.append($0) }
        XCTAssertEqual(log.all, [.error(TestError())])
    }

    func testMaterializeAndDematerializeAreInverse() {
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onError(TestError())
            return Disposables.create()
        }
        let events = Log<Event<Event<Int>>>()
        let back = Log<Event<Int>>()
        _ = source.materialize().subscribe { events.append($0) }
        _ = source.materialize().dematerialize().subscribe { back.append($0) }
        XCTAssertEqual(events.all, [.next(.next(1)), .next(.error(TestError())), .completed])
        XCTAssertEqual(back.all, [.next(1), .error(TestError())])
    }

    func testObserveOnKeepsTheOrderOnAnotherScheduler() {
        let scheduler = ManualScheduler()
        let subject = PublishSubject<Int>()
        let log = Log<Event<Int>>()
        let subscription = subject.observe(on: scheduler).subscribe { log.append($0) }
        subject.onNext(1)
        subject.onNext(2)
        XCTAssertEqual(log.all, [])
        XCTAssertEqual(scheduler.run(), 1)
        XCTAssertEqual(log.all, [.next(1), .next(2)])
        subject.onNext(3)
        subject.onError(TestError())
        scheduler.run()
        XCTAssertEqual(log.all, [.next(1), .next(2), .next(3), .error(TestError())])
        subscription.dispose()
    }

    func testObserveOnDeliversNothingAfterTheDisposal() {
        let scheduler = ManualScheduler()
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { log.append($0) })
        subject.onNext(1)
        subscription.dispose()
        scheduler.run()
        XCTAssertEqual(log.all, [])
        XCTAssertFalse(subject.hasObservers)
    }

    func testABoundedObserveOnPausesAndResumesItsSource() {
        let scheduler = ManualScheduler()
        let gate = PauseLog()
        let subject = PublishSubject<Int>()
        let source = Observable<Int>.create { observer in
            gate.disposable = subject.subscribe(observer)
            return gate
        }
        let log = Log<Int>()
        let subscription = source.observe(on: scheduler, buffering: 0...2).subscribe(onNext: { log.append($0) })
        subject.onNext(1)
        XCTAssertEqual(gate.calls, [])
        subject.onNext(2)
        XCTAssertEqual(gate.calls, ["pause"])
        scheduler.run()
        XCTAssertEqual(gate.calls, ["pause", "resume"])
        XCTAssertEqual(log.all, [1, 2])
        subscription.dispose()
    }

    func testSubscribeOnSubscribesAndDisposesOnTheScheduler() {
        let scheduler = ManualScheduler()
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let subscription = subject.subscribe(on: scheduler).subscribe(onNext: { log.append($0) })
        XCTAssertFalse(subject.hasObservers)
        scheduler.run()
        XCTAssertTrue(subject.hasObservers)
        subject.onNext(1)
        subscription.dispose()
        subject.onNext(2)
        XCTAssertTrue(subject.hasObservers)
        scheduler.run()
        XCTAssertFalse(subject.hasObservers)
        XCTAssertEqual(log.all, [1])
    }

    func testDebugPrintsEachEvent() {
        let log = Log<String>()
        _ = Observable.just(String(repeating: "a", count: 60)).debug(trimOutput: true, to: { log.append($0) })
            .subscribe()
        XCTAssertEqual(
            log.all,
            [
                "subscribed", "Event next(aaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaa)", "Event completed", "isDisposed",
            ])
        let shape = #"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$"#
        XCTAssertNotNil(LocalTime.timestamp.range(of: shape, options: .regularExpression))
    }

    func testDebugPassesThePauseToItsSource() {
        let source = ControlledSource<Int>()
        let subscription = SerialDisposable()
        subscription.disposable = source.stream.debug(trimOutput: false, to: { _ in }).subscribe()
        subscription.pause()
        subscription.resume()
        XCTAssertEqual(source.log, ["pause", "resume"])
        subscription.dispose()
    }

    /// The rest of the queue was moved for each delivered event, so that forty thousand elements took minutes.
    func testObserveOnDeliversAFewEventsPerTurnFromALongQueue() {
        let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
        let subject = PublishSubject<Recorder<Int>>()
        let delivered = Counter()
        let subscription = subject.observe(on: scheduler).subscribe(onNext: { _ in delivered.increment() })
        let element = Recorder<Int>()
        for _ in 0..<40_000 { subject.onNext(element) }
        let start = ContinuousClock.now
        scheduler.start()
        XCTAssertEqual(delivered.value, 40_000)
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(5))
        subscription.dispose()
    }
}

/// A scheduler that keeps its work until the test runs it.
final class ManualScheduler: ImmediateSchedulerType, @unchecked Sendable {
    private let lock = NSLock()
    private var work: [() -> Void] = []

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        lock.withLock { work.append { item.invoke() } }
        return item
    }

    @discardableResult
    func run() -> Int {
        var count = 0
        while let next = lock.withLock({ work.isEmpty ? nil : work.removeFirst() }) {
            next()
            count += 1
        }
        return count
    }
}

private final class PauseLog: Pausable, @unchecked Sendable {
    var disposable: any Disposable = Disposables.create()
    private(set) var calls: [String] = []

    func dispose() { disposable.dispose() }
    func pause() { calls.append("pause") }
    func resume() { calls.append("resume") }
}
