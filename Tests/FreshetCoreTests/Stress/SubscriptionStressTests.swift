import Foundation
import XCTest

@testable import FreshetCore

/// Tests observers that subscribe, dispose and pause, and sources that emit and end, all at once on threads of their own.
final class SubscriptionStressTests: CoreTestCase {
    /// A thousand where `FRESHET_MILLION` is set.
    private let rounds = ProcessInfo.processInfo.environment["FRESHET_MILLION"] == nil ? 100 : 1000

    /// Calls `body` on four threads at once. Each round uses a new object.
    private func race<Thing: Sendable>(
        _ make: () -> Thing, _ body: @escaping @Sendable (Thing, Int) -> Void, after: (Thing) -> Void = { _ in }
    ) {
        let things = (0..<rounds).map { _ in make() }
        let barriers = things.map { _ in Barrier(4) }
        onThreads(4) { thread in
            for (thing, barrier) in zip(things, barriers) {
                barrier.wait()
                body(thing, thread)
            }
        }
        things.forEach(after)
    }

    private struct Race: Sendable {
        let sources = [PublishSubject<Int>(), PublishSubject<Int>()]
        let recorder = UnsynchronizedRecorder<Int>()
        let subscription: any Pausable & Sendable

        init(_ stream: (PublishSubject<Int>, PublishSubject<Int>) -> Observable<Int>) {
            let subscriber = ObserverSubscriber(recorder)
            stream(sources[0], sources[1]).subscribe(subscriber)
            subscription = subscriber
        }
    }

    private func raceEnds(_ stream: @escaping (PublishSubject<Int>, PublishSubject<Int>) -> Observable<Int>) {
        for ending in 0..<3 {
            race {
                Race(stream)
            } _: { race, thread in
                switch thread {
                case 0, 1:
                    for number in 0..<8 { race.sources[thread].onNext(number) }
                    if ending == 1 {
                        race.sources[thread].onError(Fault.first)
                    } else {
                        race.sources[thread].onCompleted()
                    }
                case 2:
                    for _ in 0..<4 {
                        race.subscription.pause()
                        race.subscription.resume()
                    }
                default:
                    if ending == 2 { race.subscription.dispose() }
                }
            } after: { race in
                XCTAssertFalse(race.recorder.hasOverlapped)
                XCTAssertLessThanOrEqual(race.recorder.stops, 1)
                if ending != 2 { XCTAssertEqual(race.recorder.stops, 1) }
                XCTAssertFalse(race.sources[0].hasObservers || race.sources[1].hasObservers)
            }
        }
    }

    func testFlatteningOperatorsEndOnce() {
        raceEnds { outer, inner in outer.flatMap { $0 % 2 == 0 ? inner.asObservable() : .just($0) } }
        raceEnds { outer, inner in outer.flatMapLatest { $0 % 2 == 0 ? inner.asObservable() : .just($0) } }
        raceEnds { outer, inner in outer.flatMapFirst { $0 % 2 == 0 ? inner.take(2) : .just($0) } }
        raceEnds { outer, inner in outer.concatMap { $0 % 2 == 0 ? inner.take(1) : .just($0) } }
        raceEnds { outer, inner in
            outer.map { $0 % 2 == 0 ? inner.asObservable() : .just($0) }.merge(maxConcurrent: 2)
        }
    }

    func testJoiningAndSharingOperatorsEndOnce() {
        raceEnds { Observable.combineLatest($0, $1) { $0 + $1 } }
        raceEnds { Observable.merge($0, $1).share() }
        raceEnds { one, other in Observable.merge(one, other).share(replay: 2, scope: .forever) }
        raceEnds { one, other in
            (0..<200).reduce(Observable.merge(one, other)) { chain, _ in chain.map { $0 + 1 } }
        }
    }

    private func raceMembers<Subject: SubjectType>(_ make: @escaping @Sendable () -> Subject)
    where Subject: Sendable, Subject.Element == Int, Subject.Observer.Element == Int {
        race(make) { subject, thread in
            switch thread {
            case 0:
                for number in 0..<16 { subject.asObserver().onNext(number) }
                subject.asObserver().onCompleted()
            default:
                for number in 0..<8 {
                    let end = SerialDisposable()
                    let subscription = subject.asObservable().subscribe(
                        onNext: { _ in if number % 3 == 0 { end.dispose() } }, onDisposed: { end.dispose() })
                    end.disposable = subscription
                    if number % 2 == 0 { subscription.dispose() }
                }
            }
        }
    }

    func testObserversSubscribeAndDisposeWhileASubjectEmits() {
        raceMembers { PublishSubject<Int>() }
        raceMembers { BehaviorSubject<Int>(value: 0) }
        raceMembers { ReplaySubject<Int>.create(bufferSize: 3) }
        raceMembers { AsyncSubject<Int>() }
    }

    func testASubjectIsReleasedWhileItsObserversDispose() {
        race {
            let subject = PublishSubject<Int>()
            let subscriptions = (0..<9).map { _ in
                (0..<70).reduce(subject.asObservable()) { chain, _ in chain.map { $0 } }.flatMap { Observable.just($0) }
                    .subscribe(onNext: { _ in })
            }
            return Locked<(PublishSubject<Int>?, [any Disposable])>((subject, subscriptions))
        } _: { thing, thread in
            if thread == 0 {
                let subject = thing.withLock { state in
                    defer { state.0 = nil }
                    return state.0
                }
                subject?.onNext(1)
            } else {
                for _ in 0..<2 { thing.withLock { $0.1.popLast() }?.dispose() }
            }
        } after: { thing in
            while let subscription = thing.withLock({ $0.1.popLast() }) { subscription.dispose() }
        }
    }

    func testASingleEmitsAtMostOneResult() {
        let log = Log<Int>()
        let ended = Log<Int>()
        race {
            let observers = Locked<[(SingleEvent<Int>) -> Void]>([])
            let subscription = Single<Int>.create { observer in
                observers.withLock { $0.append(observer) }
                return Disposables.create()
            }.subscribe(
                onSuccess: { log.append($0) }, onFailure: { _ in log.append(-1) }, onDisposed: { ended.append(0) })
            return (observers, Locked(subscription))
        } _: { thing, thread in
            if thread == 3 { return thing.1.withLock { $0 }.dispose() }
            thing.0.withLock { $0[0] }(thread == 0 ? .failure(Fault.first) : .success(thread))
        }
        XCTAssertLessThanOrEqual(log.all.count, rounds)
        XCTAssertEqual(ended.all.count, rounds)
    }

    func testASharedSourceIsDisconnectedAfterItsLastObserver() {
        race {
            let source = PublishSubject<Int>()
            return (source, source.startWith(1).share(replay: 1))
        } _: { thing, thread in
            if thread == 0 { return thing.0.onNext(2) }
            for _ in 0..<4 {
                thing.1.subscribe(Recorder<Int>()).dispose()
            }
        } after: { thing in
            XCTAssertFalse(thing.0.hasObservers)
        }
    }

    func testAnObserverReceivesNothingAfterItDisposes() {
        let streams: [(Observable<Int>) -> Observable<Int>] = [
            { $0.flatMap { Observable.just($0) } }, { $0.flatMapLatest { Observable.of($0, $0) } },
            { $0.concatMap { Observable.just($0).startWith($0) } }, { $0.flatMapFirst { Observable.of($0, $0) } },
            { $0.share() }, { $0.share(replay: 2) }, { $0.fused.map { $0 }.filter { _ in true }.asObservable() },
            { source in (0..<200).reduce(source) { chain, _ in chain.map { $0 } } }, { $0.startWith(1, 2, 3) },
            { Observable.combineLatest($0, Observable.of(1, 2)) { $0 + $1 } }, { Observable.merge($0, $0) },
            { source in
                (0..<200).reduce(source.startWith(1)) { chain, _ in chain.take(9) }.flatMap { Observable.just($0) }
            },
        ]
        for (index, stream) in streams.enumerated() {
            for source in [Observable.of(1, 2, 3), .from(Array(0..<9)), BehaviorSubject(value: 1).asObservable()] {
                let recorder = Log<Int>()
                let end = SingleAssignmentDisposable()
                end.setDisposable(
                    stream(source).subscribe(onNext: {
                        recorder.append($0)
                        end.dispose()
                    }))
                // The source emits within the subscribing call, before the test has the subscription.
                XCTAssertFalse(recorder.all.isEmpty, "\(index)")
                let first = Log<Int>()
                let subscriber = SelfDisposing(first)
                stream(source).subscribe(subscriber)
                XCTAssertEqual(first.all.count, 1, "\(index)")
            }
        }
    }
}

private final class SelfDisposing: Subscriber<Int>, @unchecked Sendable {
    private let log: Log<Int>

    init(_ log: Log<Int>) {
        self.log = log
    }

    override func next(_ element: Int) {
        if isDisposed { return }
        log.append(element)
        dispose()
    }
}
