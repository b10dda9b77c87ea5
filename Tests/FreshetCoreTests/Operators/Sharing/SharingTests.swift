import FreshetCore
import FreshetTesting
import XCTest

final class SharingTests: CoreTestCase {
    func testShareKeepsOneSubscriptionFromTheFirstObserverToTheLast() {
        let source = ControlledSource<Int>()
        let shared = source.stream.share()
        let first = Recorder<Int>()
        let second = Recorder<Int>()
        let one = shared.subscribe(first)
        source.send(1)
        let two = shared.subscribe(second)
        source.send(2)
        XCTAssertEqual(source.subscriptions, 1)
        one.dispose()
        source.send(3)
        XCTAssertEqual(source.observers, 1)
        two.dispose()
        XCTAssertEqual(source.observers, 0)
        XCTAssertEqual(first.elements, [1, 2])
        XCTAssertEqual(second.elements, [2, 3])
        let again = shared.subscribe()
        XCTAssertEqual(source.subscriptions, 2)
        again.dispose()
    }

    func testReplayWhileConnectedIsClearedWithTheConnection() {
        let source = ControlledSource<Int>()
        let shared = source.stream.share(replay: 2, scope: .whileConnected)
        let one = shared.subscribe()
        source.send(1, 2, 3)
        let late = Recorder<Int>()
        let two = shared.subscribe(late)
        XCTAssertEqual(late.elements, [2, 3])
        one.dispose()
        two.dispose()
        let later = Recorder<Int>()
        let three = shared.subscribe(later)
        XCTAssertEqual(later.elements, [])
        source.complete()
        XCTAssertEqual(later.events, [.completed])
        XCTAssertEqual(shared.record().events, [])
        XCTAssertEqual(source.subscriptions, 3)
        three.dispose()
    }

    func testReplayForeverKeepsElementsAndDoesNotRestartAfterTheEnd() {
        let source = ControlledSource<Int>()
        let shared = source.stream.share(replay: 1, scope: .forever)
        shared.subscribe().dispose()
        let one = shared.subscribe()
        source.send(1)
        one.dispose()
        XCTAssertEqual(shared.record().events, [.next(1)])
        XCTAssertEqual(source.subscriptions, 3)
        let two = shared.subscribe()
        source.send(2)
        source.complete()
        XCTAssertEqual(shared.record().events, [.next(2), .completed])
        XCTAssertEqual(source.subscriptions, 4)
        two.dispose()
    }

    func testASynchronousSourceIsRestartedOnlyWhileConnected() {
        let runs = Counter()
        let source = Observable<Int>.create { observer in
            observer.onNext(runs.increment())
            observer.onCompleted()
            return Disposables.create()
        }
        for scope in [SubjectLifetimeScope.whileConnected, .forever] {
            for replay in 0...2 {
                let shared = source.share(replay: replay, scope: scope)
                let before = runs.value
                let firsts = shared.record().events
                XCTAssertEqual(firsts, [.next(before + 1), .completed])
                let expected: [Event<Int>] =
                    switch (scope, replay) {
                    case (.whileConnected, _): [.next(before + 2), .completed]
                    case (.forever, 0): [.completed]
                    case (.forever, _): [.next(before + 1), .completed]
                    }
                XCTAssertEqual(shared.record().events, expected)
            }
        }
    }

    func testAnObserverThatSubscribesInsideTheEndReceivesTheForeverReplayAndTheEnd() {
        for replay in 0...2 {
            for fails in [false, true] {
                for isLate in [false, true] {
                    let source = ControlledSource<Int>()
                    let shared = source.stream.share(replay: replay, scope: .forever)
                    let again = Recorder<Int>()
                    let subscribe = { @Sendable in _ = shared.subscribe(again) }
                    // The observer that subscribes again is the first or the last that gets the stop event.
                    let others = Recorder<Int>()
                    if isLate { _ = shared.subscribe(others) }
                    _ = shared.subscribe(onError: { _ in subscribe() }, onCompleted: subscribe)
                    if !isLate { _ = shared.subscribe(others) }
                    source.send(1, 2)
                    if fails { source.fail(TestError()) } else { source.complete() }
                    let end: Event<Int> = fails ? .error(TestError()) : .completed
                    let replayed: [Event<Int>] = [.next(1), .next(2)].suffix(replay)
                    XCTAssertEqual(again.events, replayed + [end], "\(replay), \(fails)")
                    XCTAssertEqual(others.events, [.next(1), .next(2), end])
                    XCTAssertEqual(source.subscriptions, 1)
                }
            }
        }
    }

    func testAnObserverThatSubscribesInsideTheEndOfASynchronousSourceReceivesTheReplayAndTheEnd() {
        for replay in 0...2 {
            for fails in [false, true] {
                let runs = Counter()
                let source = Observable<Int>.create { observer in
                    observer.onNext(runs.increment())
                    if fails { observer.onError(TestError()) } else { observer.onCompleted() }
                    return Disposables.create()
                }
                let shared = source.share(replay: replay, scope: .forever)
                let again = Recorder<Int>()
                let subscribe = { @Sendable in _ = shared.subscribe(again) }
                _ = shared.subscribe(onError: { _ in subscribe() }, onCompleted: subscribe)
                let end: Event<Int> = fails ? .error(TestError()) : .completed
                XCTAssertEqual(again.events, (replay > 0 ? [.next(1)] : []) + [end], "\(replay), \(fails)")
                XCTAssertEqual(runs.value, 1)
            }
        }
    }

    func testAnObserverThatSubscribesInsideOnCompletedRestartsTheSource() {
        let source = ControlledSource<Int>()
        let shared = source.stream.share(replay: 1)
        let again = Recorder<Int>()
        let second = SerialDisposable()
        let one = shared.subscribe(onCompleted: { second.disposable = shared.subscribe(again) })
        source.send(1)
        source.complete()
        source.send(2)
        XCTAssertEqual(source.subscriptions, 2)
        XCTAssertEqual(again.events, [.next(2)])
        second.dispose()
        one.dispose()
    }

    func testAnObserverThatSubscribesInsideAnElementMissesNothingAfterwards() {
        let late = Recorder<Int>()
        let second = SerialDisposable()
        let source = Observable<Int>.create { observer in
            for number in 1...3 { observer.onNext(number) }
            return Disposables.create()
        }
        let shared = source.share(replay: 1)
        let one = shared.subscribe(onNext: { number in
            if number == 1 { second.disposable = shared.subscribe(late) }
        })
        XCTAssertEqual(late.elements, [1, 2, 3])
        second.dispose()
        one.dispose()
    }

    func testRetryOverShareDoesNotDeepenTheStack() {
        onASmallStack {
            let runs = Counter()
            let source = Observable<Int>.create { observer in
                if runs.increment() < 20_000 { observer.onError(TestError()) } else { observer.onCompleted() }
                return Disposables.create()
            }
            XCTAssertEqual(source.share(replay: 1).retry().record().events, [.completed])
        }
    }

    func testAConnectableStartsStopsAndRestarts() {
        let source = ControlledSource<Int>()
        let connectable = source.stream.publish()
        let recorder = Recorder<Int>()
        let one = connectable.subscribe(recorder)
        XCTAssertEqual(source.subscriptions, 0)
        let connection = connectable.connect()
        _ = connectable.connect()
        XCTAssertEqual(source.subscriptions, 1)
        source.send(1)
        connection.dispose()
        source.send(2)
        XCTAssertEqual(recorder.events, [.next(1)])
        let two = connectable.subscribe(recorder)
        let next = connectable.connect()
        source.send(3)
        XCTAssertEqual(recorder.events, [.next(1), .next(3)])
        next.dispose()
        one.dispose()
        two.dispose()
    }

    func testReplayAllEmitsEarlierElements() {
        let connection = Disposables.create()
        let two = Observable.of(1, 2, 3).replay(2)
        let all = Observable.of(1, 2, 3).concatMap { Observable.just($0).concatNever($0 == 3) }.replayAll()
        let links = [two.connect(), all.connect(), connection]
        XCTAssertEqual(all.record().events, [.next(1), .next(2), .next(3)])
        links.forEach { $0.dispose() }
    }

    func testMulticastWithASelectorSubscribesOnce() {
        let source = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let stream = source.stream.multicast({ PublishSubject<Int>() }) { shared in
            shared.flatMap { number in shared.map { $0 * 100 + number } }
        }
        let one = stream.subscribe(recorder)
        source.send(1, 2)
        XCTAssertEqual(source.subscriptions, 1)
        XCTAssertEqual(recorder.elements, [201])
        one.dispose()
        XCTAssertEqual(source.observers, 0)
    }

    func testEveryObserverOfEightThreadsIsConnected() {
        let ticks = PublishSubject<Int>()
        let live = Counter()
        let source = Observable<Int>.create { observer in
            live.increment()
            observer.onNext(0)
            let subscription = ticks.subscribe(observer)
            return Disposables.create { subscription.dispose() }
        }
        let shared = source.share(replay: 1)
        onThreads(8) { _ in
            for _ in 0..<300 {
                let recorder = Recorder<Int>()
                let subscription = shared.subscribe(recorder)
                // The source emits for each connection. Only an observer without a connection would get no element.
                let end = Date() + 60
                while recorder.events.isEmpty, Date() < end {}
                XCTAssertFalse(recorder.events.isEmpty)
                XCTAssertEqual(recorder.overlaps, 0)
                subscription.dispose()
            }
        }
        XCTAssertFalse(ticks.hasObservers)
        XCTAssertGreaterThan(live.value, 0)
    }

    func testElementsOfEightThreadsAreSharedSeriallyWithoutLoss() {
        let subject = PublishSubject<Int>()
        let shared = subject.share()
        let recorders = (0..<3).map { _ in Recorder<Int>() }
        let subscriptions = recorders.map { shared.subscribe($0) }
        onThreads(8) { thread in
            for number in 0..<1_000 { subject.onNext(thread * 1_000 + number) }
        }
        for recorder in recorders {
            XCTAssertEqual(recorder.elements.sorted(), Array(0..<8_000))
            XCTAssertEqual(recorder.overlaps, 0)
        }
        subscriptions.forEach { $0.dispose() }
    }
}

extension Observable {
    /// The stream, without its completion if `isEndless`.
    fileprivate func concatNever(_ isEndless: Bool) -> Observable<Element> {
        isEndless ? .create { observer in self.subscribe(onNext: { observer.onNext($0) }) } : self
    }
}
