import FreshetCore
import FreshetTesting
import XCTest

final class TimedSharingTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    private let input = ControlledSource<Int>()

    func testAReplaySubjectReplaysElementsWithinItsWindow() {
        let subject = ReplaySubject<Int>.create(bufferSize: 3, window: .seconds(10), scheduler: scheduler)
        for number in 1...5 {
            scheduler.advanceTo(number)
            subject.onNext(number)
        }
        XCTAssertEqual(subject.record().elements, [3, 4, 5])
        scheduler.advanceTo(13)
        XCTAssertEqual(subject.record().elements, [4, 5])
        subject.onNext(6)
        XCTAssertEqual(subject.record().elements, [4, 5, 6])
        scheduler.advanceTo(22)
        subject.onCompleted()
        XCTAssertEqual(subject.record().events, [.next(6), .completed])
        scheduler.advanceTo(23)
        XCTAssertEqual(subject.record().events, [.completed])
    }

    func testAnExpiredElementIsReleasedWhenTheNextArrives() {
        final class Thing: Sendable {}
        let subject = ReplaySubject<Thing>.create(window: .seconds(10), scheduler: scheduler)
        weak var old: Thing?
        do {
            let thing = Thing()
            old = thing
            subject.onNext(thing)
        }
        XCTAssertNotNil(old)
        scheduler.advanceTo(10)
        subject.onNext(Thing())
        XCTAssertNil(old)
    }

    func testAConnectionOutlastsItsLastObserverByTheGracePeriod() {
        let shared = input.stream.share(gracePeriod: .seconds(5), scheduler: scheduler)
        shared.subscribe().dispose()
        scheduler.advanceTo(4)
        let recorder = Recorder<Int>()
        let second = shared.subscribe(recorder)
        input.send(1)
        scheduler.advanceTo(100)
        XCTAssertEqual([input.observers, input.subscriptions], [1, 1])
        second.dispose()
        scheduler.advanceTo(104)
        XCTAssertEqual(input.observers, 1)
        scheduler.advanceTo(105)
        XCTAssertEqual(input.observers, 0)
        XCTAssertEqual(recorder.events, [.next(1)])
        let third = shared.subscribe()
        XCTAssertEqual(input.subscriptions, 2)
        third.dispose()
        scheduler.start()
    }

    func testEachLastDisposalRestartsTheGracePeriod() {
        let shared = input.stream.share(replay: 1, gracePeriod: .seconds(5), scheduler: scheduler)
        for time in [0, 4, 8, 12] {
            scheduler.advanceTo(time)
            shared.subscribe().dispose()
        }
        scheduler.advanceTo(16)
        XCTAssertEqual([input.observers, input.subscriptions], [1, 1])
        scheduler.advanceTo(17)
        XCTAssertEqual(input.observers, 0)
    }

    func testAnUncancellableEarlierGracePeriodDoesNotDisconnect() {
        let shared = input.stream.share(
            gracePeriod: .seconds(5), scheduler: LateScheduler(over: scheduler, isCancellable: false))
        shared.subscribe().dispose()
        scheduler.advanceTo(4)
        shared.subscribe().dispose()
        scheduler.advanceTo(8)
        XCTAssertEqual([input.observers, input.subscriptions], [1, 1])
        scheduler.advanceTo(9)
        XCTAssertEqual(input.observers, 0)
    }

    func testAMemberThatComesAndGoesBeforeAnEarlierTimerIsSetStillDisconnects() {
        let late = LateScheduler(over: scheduler)
        let shared = input.stream.share(gracePeriod: .seconds(5), scheduler: late)
        late.interruption.withLock { $0 = { shared.subscribe().dispose() } }
        shared.subscribe().dispose()
        scheduler.advanceTo(4)
        XCTAssertEqual([input.observers, input.subscriptions], [1, 1])
        scheduler.start()
        XCTAssertEqual(input.observers, 0)
    }

    func testASourceThatCompletesWithinTheGracePeriodIsReplayedOnlyForever() {
        for scope in [SubjectLifetimeScope.whileConnected, .forever] {
            let input = ControlledSource<Int>()
            let shared = input.stream.share(
                replay: 1, scope: scope, gracePeriod: .seconds(5), scheduler: scheduler)
            shared.subscribe().dispose()
            input.send(1)
            input.complete()
            let expected: [Event<Int>] = scope == .forever ? [.next(1), .completed] : []
            XCTAssertEqual(shared.record().events, expected)
            XCTAssertEqual(input.subscriptions, scope == .forever ? 1 : 2)
            scheduler.start()
            XCTAssertEqual(input.observers, 0)
        }
    }

    func testAGracePeriodOfZeroDisconnectsAtOnce() {
        let shared = input.stream.publish().refCount(gracePeriod: .zero, scheduler: scheduler)
        shared.subscribe().dispose()
        XCTAssertEqual(input.observers, 0)
    }

    func testObserversOfEightThreadsWithinTheGracePeriodShareOneConnection() {
        let shared = input.stream.share(gracePeriod: .seconds(5), scheduler: scheduler)
        onThreads(8) { _ in
            for _ in 0..<200 { shared.subscribe().dispose() }
        }
        XCTAssertEqual([input.observers, input.subscriptions], [1, 1])
        scheduler.start()
        XCTAssertEqual(input.observers, 0)
    }

    func testRefCountWorksWithACustomConnectable() {
        let counted = CustomConnectable(source: input.stream).refCount()
        let first = Recorder<Int>(), second = Recorder<Int>()
        let one = counted.subscribe(first)
        let two = counted.subscribe(second)
        input.send(1)
        one.dispose()
        XCTAssertEqual([input.observers, input.subscriptions], [1, 1])
        two.dispose()
        XCTAssertEqual(input.observers, 0)
        XCTAssertEqual(first.events + second.events, [.next(1), .next(1)])
        let again = Recorder<Int>()
        let subscription = SerialDisposable()
        let three = counted.subscribe(onCompleted: { subscription.disposable = counted.subscribe(again) })
        let four = counted.subscribe()
        input.complete()
        XCTAssertEqual([input.observers, input.subscriptions], [1, 3])
        input.send(2)
        XCTAssertEqual(again.events, [.next(2)])
        subscription.dispose()
        three.dispose()
        four.dispose()
        XCTAssertEqual(input.observers, 0)
        XCTAssertEqual(
            CustomConnectable(source: Observable.of(1, 2)).refCount().take(1).record().events, [.next(1), .completed])
    }

    /// A generic function must not count the members of a connection a second time, beside those that the stream counts itself.
    func testAGenericStreamCountsItsMembersInItsOwnWay() {
        struct Own: ConnectableObservableType {
            typealias Element = Int

            func connect() -> any Disposable { Disposables.create() }
            func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
            where Observer.Element == Int { Disposables.create() }
            func refCount() -> Observable<Int> { .just(7) }
        }
        func counted<Stream: ConnectableObservableType>(_ stream: Stream) -> Observable<Stream.Element> {
            stream.refCount()
        }
        XCTAssertEqual(counted(Own()).record().elements, [7])
    }
}

/// A connectable stream that is not part of the library.
private struct CustomConnectable: ConnectableObservableType {
    typealias Element = Int

    let source: Observable<Int>
    private let current = Locked<PublishSubject<Int>>(PublishSubject())

    init(source: Observable<Int>) {
        self.source = source
    }

    func connect() -> any Disposable {
        let subject = current.withLock { $0 }
        return source.subscribe { event in
            if event.isStopEvent { self.current.withLock { $0 = PublishSubject() } }
            subject.on(event)
        }
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Int {
        current.withLock { $0 }.subscribe(observer)
    }
}

/// A scheduler whose caller is slower than another thread.
private struct LateScheduler: SchedulerType {
    let base: TestScheduler
    /// Whether work can be cancelled. Work that another thread has begun can't be.
    let isCancellable: Bool
    /// What another thread does before the next work with a due time is scheduled.
    let interruption = Locked<(@Sendable () -> Void)?>(nil)

    init(over base: TestScheduler, isCancellable: Bool = true) {
        self.base = base
        self.isCancellable = isCancellable
    }

    var now: Instant { base.now }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        cancelling(base.schedule(state, action: action))
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        interruption.withLock { $0.take() }?()
        return cancelling(base.scheduleRelative(state, dueTime: dueTime, action: action))
    }

    private func cancelling(_ work: any Disposable) -> any Disposable { isCancellable ? work : Disposables.create() }
}
