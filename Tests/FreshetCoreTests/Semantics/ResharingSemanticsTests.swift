import FreshetCore
import FreshetTesting
import XCTest

/// Tests `share` with each scope and count, and connectable streams, when their source ends or an observer subscribes again.
final class ResharingSemanticsTests: CoreTestCase {
    private let starts = Log<Int>()

    private func ending(with stop: Event<Int>) -> Observable<Int> {
        .create { [starts] observer in
            starts.append(1)
            for number in 1...3 { observer.onNext(number) }
            observer.on(stop)
            return Disposables.create()
        }
    }

    func testAnObserverAfterTheEndRestartsASourceSharedWhileConnected() {
        for stop in [Event<Int>.completed, .error(Fault.first)] {
            for count in 0...2 {
                let before = starts.all.count
                let shared = ending(with: stop).share(replay: count)
                let all: [Event<Int>] = [.next(1), .next(2), .next(3), stop]
                XCTAssertEqual(shared.record().events, all)
                XCTAssertEqual(shared.record().events, all)
                XCTAssertEqual(starts.all.count - before, 2)
            }
        }
    }

    func testAnObserverAfterTheEndReceivesTheReplayOfASourceSharedForever() {
        for stop in [Event<Int>.completed, .error(Fault.first)] {
            for count in 0...2 {
                let before = starts.all.count
                let shared = ending(with: stop).share(replay: count, scope: .forever)
                XCTAssertEqual(shared.record().events, [.next(1), .next(2), .next(3), stop])
                XCTAssertEqual(shared.record().events, Array([.next(2), .next(3), stop].suffix(count + 1)))
                XCTAssertEqual(starts.all.count - before, 1)
            }
        }
    }

    func testTheReplayIsClearedAfterTheLastObserverOnlyWhileConnected() {
        for (scope, expected) in [(SubjectLifetimeScope.whileConnected, [3]), (.forever, [2, 3])] {
            let source = ControlledSource<Int>()
            let shared = source.stream.share(replay: 1, scope: scope)
            let first = shared.subscribe()
            source.send(1, 2)
            first.dispose()
            XCTAssertEqual(source.observers, 0)
            let recorder = Recorder<Int>()
            let second = shared.subscribe(recorder)
            source.send(3)
            XCTAssertEqual(recorder.elements, expected)
            XCTAssertEqual(source.subscriptions, 2)
            second.dispose()
        }
    }

    func testTheSourceRunsWhileOneOfManyObserversIsLeft() {
        for count in 0...2 {
            let source = ControlledSource<Int>()
            let shared = source.stream.share(replay: count)
            let subscriptions = (0..<3).map { _ in shared.subscribe() }
            subscriptions[0].dispose()
            subscriptions[0].dispose()
            subscriptions[2].dispose()
            XCTAssertEqual([source.observers, source.subscriptions], [1, 1])
            subscriptions[1].dispose()
            XCTAssertEqual([source.observers, source.subscriptions], [0, 1])
        }
    }

    func testAnObserverThatSubscribesInsideAnElementReceivesItOnlyFromTheReplay() {
        for (count, expected) in [(0, [2]), (1, [1, 2]), (2, [1, 2])] {
            let source = ControlledSource<Int>()
            let shared = source.stream.share(replay: count)
            let late = Recorder<Int>()
            let bag = CompositeDisposable()
            bag.insert(
                shared.subscribe(
                    Recorder<Int> { event in
                        if event.element == 1 { bag.insert(shared.subscribe(late)) }
                    }))
            source.send(1, 2)
            XCTAssertEqual(late.elements, expected)
            XCTAssertEqual(source.subscriptions, 1)
            bag.dispose()
        }
    }

    func testAnObserverThatSubscribesInsideTheErrorRestartsTheSource() {
        for count in 0...2 {
            let source = ControlledSource<Int>()
            let shared = source.stream.share(replay: count)
            let late = Recorder<Int>()
            let bag = CompositeDisposable()
            bag.insert(
                shared.subscribe(
                    Recorder<Int> { event in
                        if event.isStopEvent { bag.insert(shared.subscribe(late)) }
                    }))
            source.send(1)
            source.fail()
            source.send(2)
            XCTAssertEqual(late.events, [.next(2)])
            XCTAssertEqual([source.observers, source.subscriptions], [1, 2])
            bag.dispose()
        }
    }

    func testADisposalByTheOnlyObserverInsideAnElementEndsTheConnection() {
        for scope in [SubjectLifetimeScope.whileConnected, .forever] {
            for count in 0...2 {
                let source = ControlledSource<Int>()
                let shared = source.stream.share(replay: count, scope: scope)
                let subscription = shared.take(1).subscribe()
                source.send(1)
                XCTAssertEqual(source.observers, 0)
                subscription.dispose()
            }
        }
    }

    func testTakeOneOfASharedSynchronousSourceTakesTheFirst() {
        for count in 0...2 {
            XCTAssertEqual(
                ending(with: .completed).share(replay: count).take(1).record().events, [.next(1), .completed])
        }
        let infinite = Observable.from(0...).share(replay: 1)
        XCTAssertEqual(infinite.take(2).record().events, [.next(0), .next(1), .completed])
    }

    func testASecondConnectReturnsTheSameConnection() {
        let source = ControlledSource<Int>()
        let published = source.stream.publish()
        let recorder = Recorder<Int>()
        let subscription = published.subscribe(recorder)
        let first = published.connect(), second = published.connect()
        XCTAssertEqual(source.subscriptions, 1)
        second.dispose()
        XCTAssertEqual(source.observers, 0)
        let third = published.connect()
        first.dispose()
        XCTAssertEqual([source.observers, source.subscriptions], [1, 2])
        source.send(1)
        XCTAssertEqual(recorder.events, [])
        third.dispose()
        subscription.dispose()
    }

    func testAnEndedConnectionIsReplayedOnlyByASharedSubject() {
        let fresh: [ConnectableObservable<Int>] = [
            ending(with: .completed).publish(), ending(with: .completed).replay(1),
            ending(with: .completed).replayAll(),
            ending(with: .completed).multicast(makeSubject: { BehaviorSubject(value: 0) }),
        ]
        for (number, connectable) in fresh.enumerated() {
            let before = connectable.connect()
            XCTAssertEqual(connectable.record().events, number == 3 ? [.next(0)] : [])
            before.dispose()
        }
        let kept = ending(with: .completed).multicast(ReplaySubject<Int>.create(bufferSize: 2))
        _ = kept.connect()
        XCTAssertEqual(kept.record().events, [.next(2), .next(3), .completed])
        _ = kept.connect()
        XCTAssertEqual(kept.record().events, [.next(2), .next(3), .completed])
        XCTAssertEqual(starts.all.count, 6)
    }

    func testObserversOfAConnectableReceiveAllOfASynchronousSource() {
        for connectable in [ending(with: .completed).publish(), ending(with: .completed).replay(1)] {
            let recorder = Recorder<Int>()
            let subscription = connectable.subscribe(recorder)
            _ = connectable.connect()
            XCTAssertEqual(recorder.events, [.next(1), .next(2), .next(3), .completed])
            subscription.dispose()
        }
    }

    func testMulticastWithASelectorFailsWithTheErrorsOfItsClosures() {
        let source = ControlledSource<Int>()
        let noSubject = source.stream.multicast({ () throws -> PublishSubject<Int> in throw Fault.first }) { $0 }
        XCTAssertEqual(noSubject.record().events, [.error(Fault.first)])
        let noResult = source.stream.multicast({ PublishSubject<Int>() }) { _ -> Observable<Int> in throw Fault.second }
        XCTAssertEqual(noResult.record().events, [.error(Fault.second)])
        XCTAssertEqual(source.subscriptions, 0)
    }

    func testMulticastWithASelectorDisposesOfTheSourceWithItsResult() {
        let source = ControlledSource<Int>()
        let recorder = Recorder<Int>()
        let stream = source.stream.multicast({ PublishSubject<Int>() }) { shared in
            Observable.zip(shared, shared.skip(1)) { $0 + $1 }.take(1)
        }
        let subscription = stream.subscribe(recorder)
        source.send(1, 2)
        XCTAssertEqual(recorder.events, [.next(3), .completed])
        XCTAssertEqual([source.observers, source.subscriptions], [0, 1])
        subscription.dispose()
    }

    func testMulticastWithASelectorDoesNotConnectForAnEndedResult() {
        let source = ControlledSource<Int>()
        let stream = source.stream.multicast({ PublishSubject<Int>() }) { $0.startWith(0).take(1) }
        XCTAssertEqual(stream.record().events, [.next(0), .completed])
        XCTAssertEqual(source.subscriptions, 0)
    }
}
