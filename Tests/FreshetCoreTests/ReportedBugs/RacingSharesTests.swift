import FreshetCore
import XCTest

/// Repeats deadlocks and crashes of other libraries that need two threads at the same moment.
final class RacingSharesTests: CoreTestCase {
    /// Runs the two closures at once, many times. A round that hangs fails the test.
    private func race(
        rounds: Int = 100, _ one: @escaping @Sendable (Int) -> Void, _ other: @escaping @Sendable (Int) -> Void
    ) {
        let barriers = (0..<rounds).map { _ in Barrier(2) }
        onThreads(2) { thread in
            for round in 0..<rounds {
                barriers[round].wait()
                if thread == 0 { one(round) } else { other(round) }
            }
        }
    }

    /// RxSwift #1992: each of two shared streams replays into a subscription to the other.
    func testRule8TwoSharedStreamsThatSubscribeToEachOtherDoNotDeadlock() {
        let (one, two) = (emitting(1).share(replay: 1), emitting(2).share(replay: 1))
        let held = [one.subscribe(), two.subscribe()]
        let recorders = [Recorder<Int>(), Recorder<Int>()]
        race(
            { _ in one.flatMap { _ in two }.subscribe(recorders[0]).dispose() },
            { _ in two.flatMap { _ in one }.subscribe(recorders[1]).dispose() })
        XCTAssertEqual(recorders[0].elements, Array(repeating: 2, count: 100))
        XCTAssertEqual(recorders[1].elements, Array(repeating: 1, count: 100))
        held.forEach { $0.dispose() }
    }

    /// RxSwift #2525: `combineLatest` of two shared streams switches to one of them. At the same time another thread is the
    /// first to subscribe to the stream that is made of the other.
    func testRule8ASharedStreamThatIsReachedTwoWaysDoesNotDeadlock() {
        let rounds = (0..<100).map { _ -> (Observable<Int>, Observable<Int>) in
            let source = emitting(1).share(replay: 1)
            return (source, source.flatMap { emitting($0 + 1) }.share(replay: 1))
        }
        let subscriptions = CompositeDisposable()
        let recorders = rounds.map { _ in Recorder<Int>() }
        race(
            { round in
                let (source, made) = rounds[round]
                let both = Observable.combineLatest(source, made) { $0 + $1 }
                subscriptions.insert(both.flatMapLatest { _ in source }.subscribe(recorders[round]))
            },
            { round in subscriptions.insert(rounds[round].1.subscribe()) })
        for recorder in recorders { XCTAssertEqual(recorder.elements, [1]) }
        subscriptions.dispose()
    }

    /// RxSwift #2653: `take(1)` ends the subscription of `zip` to a shared stream while that stream replays.
    func testRule8TakeOneOfASharedStreamInsideZipEmitsOnce() {
        let shared = emitting(1).share(replay: 1)
        let held = shared.subscribe()
        let recorders = Log<Recorder<Int>>()
        let zip: @Sendable (Int) -> Void = { _ in
            let recorder = Recorder<Int>()
            recorders.append(recorder)
            _ = Observable.zip(shared.take(1), shared.take(1), emitting(2).take(1)) { $0 + $1 + $2 }
                .subscribe(recorder)
        }
        race(zip, zip)
        XCTAssertEqual(recorders.all.count, 200)
        for recorder in recorders.all { XCTAssertEqual(recorder.events, [.next(4), .completed]) }
        held.dispose()
    }

    /// RxSwift #2718: two first subscribers at once connected one connection twice, and the second connection crashed.
    func testRule8SimultaneousFirstObserversMakeOneConnection() {
        for scope in [SubjectLifetimeScope.whileConnected, .forever] {
            for replay in 0...1 {
                let live = Locked((now: 0, most: 0))
                let source = Observable<Int>.create { observer in
                    live.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    observer.onNext(1)
                    return Disposables.create { live.withLock { $0.now -= 1 } }
                }
                let shares = (0..<50).map { _ in source.share(replay: replay, scope: scope) }
                let barriers = shares.map { _ in Barrier(8) }
                onThreads(8) { _ in
                    for (share, barrier) in zip(shares, barriers) {
                        barrier.wait()
                        share.subscribe().dispose()
                    }
                }
                XCTAssertEqual(live.withLock { $0.now }, 0)
                let one = shares[0].subscribe()
                let two = shares[0].subscribe()
                XCTAssertEqual(live.withLock { $0.now }, 1)
                one.dispose()
                two.dispose()
                XCTAssertEqual(live.withLock { $0.now }, 0)
            }
        }
    }

    /// RxSwift #497: a bag with shared subscriptions is released while their source emits.
    func testRule8ABagOfSharedSubscriptionsIsReleasedWhileTheirSourceEmits() {
        let subject = PublishSubject<Int>()
        let shared = subject.share(replay: 1)
        race(
            { subject.onNext($0) },
            { _ in
                let bag = DisposeBag()
                for _ in 0..<5 { shared.map { $0 + 1 }.subscribe().disposed(by: bag) }
            })
        XCTAssertFalse(subject.hasObservers)
    }

    /// RxSwift #2703 and #2711: two sources of an operator end it from two threads at once.
    func testRule8TwoSourcesThatEndAnOperatorAtOnceEndItOnce() {
        for join in [
            { Observable.zip($0, $1) { $0 + $1 } }, { Observable.zip([$0, $1]).map(\.count) }, { .merge($0, $1) },
            { Observable.combineLatest($0, $1) { $0 + $1 } }, { $0.amb($1) }, { $0.take(until: $1) },
            { $0.withLatestFrom($1) }, { $0.sample($1) }, { one, two in one.flatMapLatest { _ in two } },
        ] as [(Observable<Int>, Observable<Int>) -> Observable<Int>] {
            let subjects = (0..<50).map { _ in (PublishSubject<Int>(), PublishSubject<Int>()) }
            let recorders = subjects.map { _ in Recorder<Int>() }
            let subscriptions = zip(subjects, recorders).map { join($0.0.share(replay: 1), $0.1.take(2)).subscribe($1) }
            race(
                rounds: 50,
                {
                    subjects[$0].0.onNext(1)
                    subjects[$0].0.onError(Fault.first)
                },
                {
                    subjects[$0].1.onNext(1)
                    subjects[$0].1.onNext(2)
                })
            for (recorder, subscription) in zip(recorders, subscriptions) {
                XCTAssertLessThanOrEqual(recorder.events.filter(\.isStopEvent).count, 1)
                XCTAssertEqual(recorder.overlaps, 0)
                subscription.dispose()
            }
            for (one, two) in subjects { XCTAssertFalse(one.hasObservers || two.hasObservers) }
        }
    }
}

/// A stream that emits one element and does not end.
private func emitting(_ element: Int) -> Observable<Int> {
    .create { observer in
        observer.onNext(element)
        return Disposables.create()
    }
}
