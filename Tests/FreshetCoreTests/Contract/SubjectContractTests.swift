import FreshetCore
import XCTest

/// Sends to every subject and observes it inside its own events, and from eight threads at once.
final class SubjectContractTests: CoreTestCase {
    /// A subject with its type erased, or a relay, which never ends.
    private struct Kind: Sendable {
        let name: String
        var isRelay: Bool { name.contains("Relay") }
        let stream: Observable<Int>
        let send: @Sendable (Event<Int>) -> Void

        init<Relay: RelayType>(_ relay: Relay) where Relay.Element == Int {
            name = "\(type(of: relay))"
            stream = relay.asObservable()
            send = { $0.element.map(relay.accept) }
        }

        init<Subject: Observable<Int> & ObserverType>(_ subject: Subject) where Subject.Element == Int {
            name = "\(type(of: subject))"
            stream = subject
            send = { subject.on($0) }
        }
    }

    private var kinds: [Kind] {
        [
            Kind(PublishSubject()), Kind(BehaviorSubject(value: -1)), Kind(ReplaySubject.create(bufferSize: 0)),
            Kind(ReplaySubject.create(bufferSize: 3)), Kind(ReplaySubject.createUnbounded()),
            Kind(PublishRelay()), Kind(BehaviorRelay(value: -1)), Kind(ReplayRelay.create(bufferSize: 3)),
            Kind(ReplayRelay.createUnbound()),
        ]
    }

    func testRule7And15AnElementSentInsideAnElementReachesAllObserversOnceAndInOrder() {
        for kind in kinds {
            let responding = Recorder<Int> { event in
                if let element = event.element, (0..<9).contains(element) { kind.send(.next(element + 1)) }
            }
            let other = Recorder<Int>()
            let subscriptions = [kind.stream.subscribe(responding), kind.stream.subscribe(other)]
            kind.send(.next(0))
            for recorder in [responding, other] {
                XCTAssertEqual(recorder.elements.filter { $0 >= 0 }, Array(0...9), kind.name)
                XCTAssertEqual(recorder.overlaps, 0, kind.name)
            }
            subscriptions.forEach { $0.dispose() }
        }
    }

    func testRule7And15AnObserverThatSubscribesInsideAnElementReceivesLaterElements() {
        for kind in kinds {
            let lateObserver = Recorder<Int>()
            let subscription = SerialDisposable()
            let host = kind.stream.subscribe(onNext: { element in
                guard element == 1 else { return }
                subscription.disposable = kind.stream.subscribe(lateObserver)
                kind.send(.next(2))
            })
            kind.send(.next(1))
            kind.send(.next(3))
            XCTAssertEqual(Array(lateObserver.elements.suffix(2)), [2, 3], kind.name)
            XCTAssertEqual(lateObserver.elements.filter { $0 == 2 }.count, 1, kind.name)
            host.dispose()
            subscription.dispose()
        }
    }

    func testRule3And15AnObserverDisposedOfInsideAnElementReceivesNothingMore() {
        for kind in kinds {
            let lateObserver = Recorder<Int>()
            let subscription = SerialDisposable()
            let seen = Locked<Int?>(nil)
            let host = kind.stream.subscribe(onNext: { element in
                guard element == 1 else { return }
                subscription.dispose()
                seen.withLock { $0 = lateObserver.events.count }
                kind.send(.next(2))
            })
            subscription.disposable = kind.stream.subscribe(lateObserver)
            kind.send(.next(1))
            kind.send(.completed)
            XCTAssertEqual(lateObserver.events.count, seen.withLock { $0 }, kind.name)
            host.dispose()
        }
    }

    func testRule2And15ElementsOfEightThreadsAreDeliveredOnceEach() {
        let rounds = 250
        for kind in kinds {
            let recorder = Recorder<Int>()
            let subscription = kind.stream.subscribe(recorder)
            let barrier = Barrier(8)
            onThreads(8) { thread in
                barrier.wait()
                for round in 0..<rounds { kind.send(.next(thread * rounds + round)) }
            }
            kind.send(.completed)
            let elements = recorder.elements.filter { $0 >= 0 }
            XCTAssertEqual(elements.sorted(), Array(0..<8 * rounds), kind.name)
            for thread in 0..<8 {
                let own = elements.filter { $0 / rounds == thread }
                XCTAssertEqual(own, own.sorted(), kind.name)
            }
            XCTAssertEqual(recorder.overlaps, 0, kind.name)
            XCTAssertEqual(recorder.hasCompleted, !kind.isRelay, kind.name)
            subscription.dispose()
        }
    }

    func testRule15AnObserverReceivesConsecutiveElementsWhileFourThreadsSend() {
        for kind in kinds {
            let reference = Recorder<Int>()
            let subscription = kind.stream.subscribe(reference)
            let lateObservers = Locked<[Recorder<Int>]>([])
            let barrier = Barrier(8)
            onThreads(8) { thread in
                barrier.wait()
                if thread < 4 {
                    for round in 0..<100 { kind.send(.next(thread * 100 + round)) }
                    return
                }
                for _ in 0..<15 {
                    let lateObserver = Recorder<Int>()
                    let subscription = kind.stream.subscribe(lateObserver)
                    sched_yield()
                    subscription.dispose()
                    let seen = lateObserver.events.count
                    lateObservers.withLock { $0.append(lateObserver) }
                    // One element may have been on its way.
                    XCTAssertLessThanOrEqual(lateObserver.events.count, seen + 1, kind.name)
                }
            }
            let all = reference.elements
            let indexes = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1, $0) })
            for lateObserver in lateObservers.withLock({ $0 }) {
                XCTAssertEqual(lateObserver.overlaps, 0, kind.name)
                guard let first = lateObserver.elements.first, let start = indexes[first] else { continue }
                XCTAssertEqual(
                    lateObserver.elements, Array(all[start...].prefix(lateObserver.elements.count)), kind.name)
            }
            subscription.dispose()
        }
    }

    func testRule1And15AllObserversReceiveTheSameOneOfManyStopEvents() {
        for kind in kinds.filter({ !$0.isRelay }) + [Kind(AsyncSubject())] {
            let recorders = (0..<4).map { _ in Recorder<Int>() }
            let subscriptions = recorders.map { kind.stream.subscribe($0) }
            let barrier = Barrier(8)
            onThreads(8) { thread in
                barrier.wait()
                for round in 0..<20 { kind.send(.next(round)) }
                kind.send(thread % 2 == 0 ? .completed : .error(Fault.first))
            }
            let late = kind.stream.record()
            for recorder in recorders + [late] {
                XCTAssertEqual(recorder.events.filter(\.isStopEvent).count, 1, kind.name)
                XCTAssertEqual(recorder.events.last, late.events.last, kind.name)
            }
            subscriptions.forEach { $0.dispose() }
        }
    }

    func testRule15AnAsyncSubjectEmitsItsLastElementOnceToEachObserver() {
        for _ in 0..<50 {
            let subject = AsyncSubject<Int>()
            let recorders = Locked<[Recorder<Int>]>([])
            let barrier = Barrier(8)
            onThreads(8) { thread in
                barrier.wait()
                if thread < 4 { subject.onNext(thread) }
                if thread == 3 { subject.onCompleted() }
                let recorder = Recorder<Int>()
                _ = subject.subscribe(recorder)
                recorders.withLock { $0.append(recorder) }
            }
            let events = recorders.withLock { $0.map(\.events) }
            XCTAssertEqual(Set(events.map { "\($0)" }).count, 1)
            XCTAssertEqual(events[0].count, 2)
        }
    }
}
