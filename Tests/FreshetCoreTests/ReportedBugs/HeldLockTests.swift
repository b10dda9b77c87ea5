import FreshetCore
import XCTest

/// Repeats deadlocks of other libraries: an operator called out under a lock, and another thread waited for that lock. In these
/// tests the call waits for the other thread.
final class HeldLockTests: CoreTestCase {
    /// Runs `deliver`. Inside its first call of `calledOut`, another thread runs `another` to its end.
    private func expectNoLockIsHeld(
        while deliver: (_ calledOut: @escaping @Sendable () -> Void) -> Void,
        line: UInt = #line, another: @escaping @Sendable () -> Void
    ) {
        let entered = DispatchSemaphore(value: 0), left = DispatchSemaphore(value: 0)
        let isFirst = Counter()
        Thread.detachNewThread {
            entered.wait()
            another()
            left.signal()
        }
        deliver {
            guard isFirst.increment() == 1 else { return }
            entered.signal()
            let isFree = left.wait(timeout: .now() + 30) == .success
            XCTAssertTrue(isFree, "the other thread waits for a lock that is held", line: line)
        }
        XCTAssertGreaterThan(isFirst.value, 0, "nothing was called out to", line: line)
        if isFirst.value == 0 { entered.signal() }
    }

    /// RxSwift #1323: `flatMap` held its lock while it subscribed, and `shareReplay` while it connected. An element of another
    /// thread waited for both locks, and the subscribing closure waited for that element.
    func testRule8AnElementOfAnotherThreadPassesWhileFlatMapSubscribes() {
        let recorder = Recorder<Int>()
        var subscription: (any Disposable)?
        expectNoLockIsHeld(while: { calledOut in
            let observers = Locked<AnyObserver<Int>?>(nil)
            let stream = Observable.just(1).flatMap { _ in
                Observable<Int>.create { observer in
                    observers.withLock { $0 = observer }
                    let sent = DispatchSemaphore(value: 0)
                    Thread.detachNewThread {
                        observer.onNext(7)
                        sent.signal()
                    }
                    XCTAssertEqual(sent.wait(timeout: .now() + 30), .success)
                    calledOut()
                    return Disposables.create { observers.withLock { $0 = nil } }
                }
            }.share(replay: 1)
            subscription = stream.subscribe(recorder)
        }) {}
        XCTAssertEqual(recorder.elements, [7])
        subscription?.dispose()
    }

    /// RxSwift #1992: `share(replay: 1)` replayed to a new observer under its lock.
    func testRule8ShareHoldsNoLockWhileItReplays() {
        let source = ControlledSource<Int>()
        let shared = source.stream.share(replay: 1)
        let first = shared.subscribe()
        source.send(1)
        let subscription = SerialDisposable()
        expectNoLockIsHeld(while: { calledOut in
            subscription.disposable = shared.subscribe(onNext: { _ in calledOut() })
        }) {
            shared.subscribe().dispose()
            source.send(2)
            first.dispose()
        }
        subscription.dispose()
    }

    /// RxSwift #2713: a replaying subject replayed under its lock.
    func testRule8ASubjectHoldsNoLockWhileItReplays() {
        let subjects: [any SubjectOfIntegers] = [
            ReplaySubject<Int>.createUnbounded(), ReplaySubject<Int>.create(bufferSize: 1), BehaviorSubject(value: 0),
        ]
        for subject in subjects {
            subject.onNext(1)
            let recorder = Recorder<Int>()
            let subscription = SerialDisposable()
            expectNoLockIsHeld(while: { calledOut in
                subscription.disposable = subject.stream.do(onNext: { _ in calledOut() }).subscribe(recorder)
            }) {
                subject.onNext(2)
                subject.stream.subscribe().dispose()
                _ = subject.hasObservers
            }
            XCTAssertEqual(recorder.elements, [1, 2])
            subscription.dispose()
        }
    }

    /// RxSwift #2698: a connection was disposed of under the lock of the connectable.
    func testRule8AConnectableHoldsNoLockWhileItDisconnects() {
        let onDispose = Locked<(@Sendable () -> Void)?>(nil)
        let source = Observable<Int>.create { _ in Disposables.create { onDispose.withLock { $0 }?() } }
        let connectable = source.publish()
        let connection = connectable.connect()
        expectNoLockIsHeld(while: { calledOut in
            onDispose.withLock { $0 = calledOut }
            connection.dispose()
        }) {
            connectable.subscribe().dispose()
            connectable.connect().dispose()
        }
        onDispose.withLock { $0 = nil }
    }

    /// RxSwift #2708: `refCount` connected under its lock.
    func testRule8ShareHoldsNoLockWhileItConnects() {
        let subscription = SerialDisposable()
        for replay in 0...2 {
            let shared = Locked<Observable<Int>>(.never())
            expectNoLockIsHeld(while: { calledOut in
                let source = Observable<Int>.create { _ in
                    calledOut()
                    return Disposables.create()
                }
                let stream = source.share(replay: replay)
                shared.withLock { $0 = stream }
                subscription.disposable = stream.subscribe()
            }) {
                shared.withLock { $0 }.subscribe().dispose()
            }
        }
        subscription.dispose()
    }

    /// RxSwift #2703: `zip` of a collection disposed of its sources under its lock.
    func testRule8ZipHoldsNoLockWhileItDisposesOfItsSources() {
        expectNoLockIsHeldByAJoin { Observable.zip($0).map(\.count) }
        expectNoLockIsHeldByAJoin { Observable.zip($0[0], $0[1], $0[2]) { $0 + $1 + $2 } }
        expectNoLockIsHeldByAJoin { Observable.combineLatest($0).map(\.count) }
        expectNoLockIsHeldByAJoin { Observable.combineLatest($0[0], $0[1], $0[2]) { $0 + $1 + $2 } }
    }

    /// RxSwift #2711: `merge` disposed of the inner streams under its lock.
    func testRule8MergeHoldsNoLockWhileItDisposesOfItsSources() {
        expectNoLockIsHeldByAJoin { .merge($0) }
        expectNoLockIsHeldByAJoin { Observable.from($0).merge(maxConcurrent: 3) }
        expectNoLockIsHeldByAJoin { Observable.from($0).flatMap { $0 } }
        expectNoLockIsHeldByAJoin { .amb($0) }
        expectNoLockIsHeldByAJoin { $0[0].withLatestFrom($0[1]).take(until: $0[2].skip(1)) }
        expectNoLockIsHeldByAJoin { $0[0].sample($0[1]).skip(until: $0[2]) }
        expectNoLockIsHeldByAJoin { Observable.from($0).concatMapEager(maxConcurrent: 3) { $0 } }
        expectNoLockIsHeldByAJoin { streams in streams[0].flatMapLatest { _ in streams[1] }.amb(streams[2]) }
    }

    /// The first of three sources fails, and the disposal of each source waits for another thread that makes the last source
    /// emit.
    private func expectNoLockIsHeldByAJoin(
        line: UInt = #line, _ join: ([Observable<Int>]) -> Observable<Int>
    ) {
        let sources = (0..<3).map { _ in ControlledSource<Int>() }
        let ending = Locked<(@Sendable () -> Void)?>(nil)
        let streams = sources.map { source in source.stream.do(onDispose: { ending.withLock { $0 }?() }) }
        let recorder = Recorder<Int>()
        let subscription = join(streams).subscribe(recorder)
        for source in sources { source.send(1) }
        expectNoLockIsHeld(
            while: { calledOut in
                ending.withLock { $0 = calledOut }
                sources[0].fail()
            }, line: line
        ) {
            sources[2].send(2)
            sources[1].complete()
            subscription.dispose()
        }
        ending.withLock { $0 = nil }
        XCTAssertEqual(recorder.overlaps, 0, line: line)
        XCTAssertEqual(sources.map(\.observers), [0, 0, 0], line: line)
    }
}

private protocol SubjectOfIntegers: Sendable {
    var stream: Observable<Int> { get }
    var hasObservers: Bool { get }
    func onNext(_ element: Int)
}

extension ReplaySubject<Int>: SubjectOfIntegers {
    fileprivate var stream: Observable<Int> { self }
}

extension BehaviorSubject<Int>: SubjectOfIntegers {
    fileprivate var stream: Observable<Int> { self }
}
