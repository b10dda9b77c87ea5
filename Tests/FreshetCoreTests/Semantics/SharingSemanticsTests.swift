import FreshetCore
import FreshetTesting
import XCTest

final class SharingSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    func testShareRunsFromTheFirstObserverToTheLast() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(260, 2), .next(310, 3), .next(410, 4)])
        let shared = source.share()
        let first = scheduler.createObserver(Int.self)
        let second = scheduler.createObserver(Int.self)
        let bag = Log<any Disposable>()
        scheduler.scheduleAt(205) { bag.append(shared.subscribe(first)) }
        scheduler.scheduleAt(250) { bag.append(shared.subscribe(second)) }
        scheduler.scheduleAt(300) { bag.all[0].dispose() }
        scheduler.scheduleAt(350) { bag.all[1].dispose() }
        scheduler.scheduleAt(400) { bag.append(shared.subscribe(first)) }
        scheduler.scheduleAt(420) { bag.all[2].dispose() }
        scheduler.start()
        XCTAssertEqual(first.events, [.next(210, 1), .next(260, 2), .next(410, 4)])
        XCTAssertEqual(second.events, [.next(260, 2), .next(310, 3)])
        XCTAssertEqual(source.subscriptions, [Subscription(205, 350), Subscription(400, 420)])
    }

    func testAnObserverAfterTheEndRestartsTheSourceWhileConnected() {
        let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let result = scheduler.start { () -> Observable<Int> in
            let shared = source.share(replay: 1)
            return shared.concat(shared)
        }
        XCTAssertEqual(result.events, [.next(210, 1), .next(230, 1), .completed(240)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220), Subscription(220, 240)])
    }

    func testAnObserverAfterTheEndReceivesOnlyTheReplayForever() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(15, 2), .completed(20)])
        let result = scheduler.start { () -> Observable<Int> in
            let shared = source.share(replay: 1, scope: .forever)
            return shared.concat(shared)
        }
        XCTAssertEqual(result.events, [.next(210, 1), .next(215, 2), .next(220, 2), .completed(220)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220)])
    }

    func testAnEndedSourceIsNotRestartedForAnObserverOnAScheduler() {
        let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let shared = source.share(replay: 1, scope: .forever)
        _ = shared.subscribe()
        let result = scheduler.start { [scheduler] in shared.observe(on: scheduler) }
        XCTAssertEqual(result.events, [.next(201, 1), .completed(202)])
        XCTAssertEqual(source.subscriptions, [Subscription(0, 20)])
    }

    func testRetriesOfTwoObserversOfAShareSubscribeOnce() {
        let source = scheduler.createColdObservable([.next(10, 1), .error(20, Fault.first)])
        let shared = source.share(replay: 2)
        let other = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(215) { _ = shared.retry(2).subscribe(other) }
        let result = scheduler.start { shared.retry(2) }
        XCTAssertEqual(result.events, [.next(210, 1), .next(230, 1), .error(240, Fault.first)])
        XCTAssertEqual(other.events, [.next(215, 1), .next(230, 1), .error(240, Fault.first)])
        XCTAssertEqual(source.subscriptions, [Subscription(200, 220), Subscription(220, 240)])
    }

    func testAConnectionIsIndependentOfItsObservers() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(310, 2), .next(410, 3), .next(510, 4)])
        let published = source.publish()
        let connections = Log<any Disposable>()
        scheduler.scheduleAt(300) { connections.append(published.connect()) }
        scheduler.scheduleAt(350) { connections.append(published.connect()) }
        scheduler.scheduleAt(450) { connections.all[0].dispose() }
        scheduler.scheduleAt(500) { connections.append(published.connect()) }
        scheduler.scheduleAt(550) { connections.all[2].dispose() }
        let result = scheduler.start { published }
        XCTAssertEqual(result.events, [.next(310, 2), .next(410, 3)])
        XCTAssertEqual(source.subscriptions, [Subscription(300, 450), Subscription(500, 550)])
    }

    func testAReplaySubjectEmitsTheLastElementsBeforeTheError() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .next(30, 3), .error(40, Fault.first)])
        let subject = ReplaySubject<Int>.create(bufferSize: 2)
        let multicast = source.multicast(subject)
        _ = multicast.connect()
        let result = scheduler.start { multicast }
        XCTAssertEqual(result.events, [.next(200, 2), .next(200, 3), .error(200, Fault.first)])
    }

    func testRefCountDoesNotRestartAnEndedSource() {
        let starts = Log<Int>()
        let source = Observable<Int>.create { observer in
            starts.append(1)
            observer.onNext(7)
            observer.onCompleted()
            return Disposables.create { starts.append(-1) }
        }
        let shared = source.publish().refCount()
        XCTAssertEqual(shared.record().events, [.next(7), .completed])
        XCTAssertEqual(shared.take(0).record().events, [.completed])
        XCTAssertEqual(shared.startWith(1).take(1).record().events, [.next(1), .completed])
        XCTAssertEqual(starts.all, [1, -1])
    }
}
