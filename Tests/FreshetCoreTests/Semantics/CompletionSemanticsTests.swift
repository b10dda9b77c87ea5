import FreshetCore
import FreshetTesting
import XCTest

/// Tests when operators with several sources complete.
final class CompletionSemanticsTests: CoreTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    private func hot(_ events: Recorded<Event<Int>>...) -> TestableObservable<Int> {
        scheduler.createHotObservable(events)
    }

    func testZipOfACollectionCompletesAtAnElementThatCannotBePaired() {
        let first = hot(.next(205, 1), .completed(220)), second = hot(.next(210, 10), .next(230, 20), .completed(240))
        let result = scheduler.start {
            Observable.zip([first.asObservable(), second.asObservable()]) { $0.reduce(0, +) }
        }
        XCTAssertEqual(result.events, [.next(210, 11), .completed(230)])
        XCTAssertEqual(first.subscriptions, [Subscription(200, 220)])
        XCTAssertEqual(second.subscriptions, [Subscription(200, 230)])
    }

    func testZipPairsTheBufferedElementsOfAnEndedSource() {
        let first = hot(.next(205, 1), .next(206, 2), .completed(210))
        let second = hot(.next(220, 10), .next(230, 20), .completed(240))
        let result = scheduler.start { Observable.zip(first, second) { $0 + $1 } }
        XCTAssertEqual(result.events, [.next(220, 11), .next(230, 22), .completed(240)])
    }

    func testZipWithAnEmptySourceWaitsForTheOtherSource() {
        let first = hot(.completed(210)), second = hot(.next(220, 1))
        let result = scheduler.start { Observable.zip(first, second) { $0 + $1 } }
        XCTAssertEqual(result.events, [])
        XCTAssertEqual(second.subscriptions, [Subscription(200, 1000)])
    }

    func testCombineLatestOfACollectionEndsAtAnElementAfterAnEmptySource() {
        let first = hot(.completed(210)), second = hot(.next(220, 1), .next(230, 2))
        let result = scheduler.start { Observable.combineLatest([first.asObservable(), second.asObservable()]) }
        XCTAssertEqual(result.events.map(\.time), [220])
        XCTAssertEqual(second.subscriptions, [Subscription(200, 220)])
    }

    func testCombineLatestOfThreeContinuesWhileOneSourceRuns() {
        let first = hot(.next(205, 1), .completed(210)), second = hot(.next(206, 10), .completed(220))
        let third = hot(.next(230, 100), .next(240, 200), .completed(250))
        let result = scheduler.start { Observable.combineLatest(first, second, third) { $0 + $1 + $2 } }
        XCTAssertEqual(result.events, [.next(230, 111), .next(240, 211), .completed(250)])
    }

    func testWithLatestFromCompletesWithItsSourceAndFailsWithEither() {
        let first = hot(.next(210, 1), .completed(250)), second = hot(.next(205, 10))
        let result = scheduler.start { first.withLatestFrom(second) { $0 + $1 } }
        XCTAssertEqual(result.events, [.next(210, 11), .completed(250)])
        XCTAssertEqual(second.subscriptions, [Subscription(200, 250)])
        let other = TestScheduler(initialClock: 0)
        let running = other.createHotObservable([.next(210, 1), .next(230, 2)])
        let failing = other.createHotObservable([.next(205, 10), .error(220, Fault.first)])
        let failed = other.start { running.withLatestFrom(failing) { $0 + $1 } }
        XCTAssertEqual(failed.events, [.next(210, 11), .error(220, Fault.first)])
        XCTAssertEqual(running.subscriptions, [Subscription(200, 220)])
    }

    func testAThrowingSelectorOfWithLatestFromDisposesOfBothSources() {
        let first = hot(.next(210, 1)), second = hot(.next(205, 10))
        let result = scheduler.start { first.withLatestFrom(second) { _, _ -> Int in throw Fault.second } }
        XCTAssertEqual(result.events, [.error(210, Fault.second)])
        XCTAssertEqual([first, second].map(\.subscriptions), [[Subscription(200, 210)], [Subscription(200, 210)]])
    }

    func testSwitchLatestCompletesWithTheOuterAndTheLatestInnerStream() {
        let inner = scheduler.createColdObservable([.next(10, 1), .completed(50)])
        let late = scheduler.createHotObservable([.next(210, inner), .completed(220)])
        let early = scheduler.createHotObservable([.next(210, inner), .completed(300)])
        let observers = (0..<2).map { _ in scheduler.createObserver(Int.self) }
        scheduler.scheduleAt(200) { _ = late.switchLatest().subscribe(observers[0]) }
        scheduler.scheduleAt(200) { _ = early.switchLatest().subscribe(observers[1]) }
        scheduler.start()
        XCTAssertEqual(
            observers.map(\.events),
            [[.next(220, 1), .completed(260)], [.next(220, 1), .completed(300)]])
    }

    func testSwitchLatestWithoutAnInnerStreamCompletesWithTheOuter() {
        let outer = scheduler.createHotObservable([.completed(220)] as [Recorded<Event<Observable<Int>>>])
        XCTAssertEqual(scheduler.start { outer.switchLatest() }.events, [.completed(220)])
    }

    func testAnErrorOfTheOuterStreamDisposesOfTheInnerStreams() {
        let inner = scheduler.createColdObservable([.next(10, 1), .next(50, 2)])
        let outer = hot(.next(210, 0), .error(230, Fault.first))
        let operators: [(Observable<Int>) -> Observable<Int>] = [
            { $0.flatMap { _ in inner } }, { $0.flatMapLatest { _ in inner } }, { $0.flatMapFirst { _ in inner } },
            { $0.concatMap { _ in inner } },
        ]
        let observers = operators.map { flatten in
            let observer = scheduler.createObserver(Int.self)
            scheduler.scheduleAt(200) { _ = flatten(outer.asObservable()).subscribe(observer) }
            return observer
        }
        scheduler.start()
        for observer in observers { XCTAssertEqual(observer.events, [.next(220, 1), .error(230, Fault.first)]) }
        XCTAssertEqual(inner.subscriptions, operators.map { _ in Subscription(210, 230) })
    }

    func testFlatMapFirstDoesNotCallItsSelectorForDroppedElements() {
        let calls = Log<Int>()
        let inner = scheduler.createColdObservable([.completed(15)] as [Recorded<Event<Int>>])
        let outer = hot(.next(210, 1), .next(220, 2), .next(226, 3), .completed(230))
        let result = scheduler.start { () -> Observable<Int> in
            outer.flatMapFirst { number -> Observable<Int> in
                calls.append(number)
                return inner.asObservable()
            }
        }
        XCTAssertEqual(calls.all, [1, 3])
        XCTAssertEqual(result.events, [.completed(241)])
    }

    func testMergeWithALimitStartsTheNextWhenOneEnds() {
        let inners = (0..<3).map { number in
            scheduler.createColdObservable([.next(10, number), .completed(30)])
        }
        let outer = hot(.next(210, 0), .next(212, 1), .next(214, 2), .completed(220))
        let result = scheduler.start { outer.map { inners[$0].asObservable() }.merge(maxConcurrent: 2) }
        XCTAssertEqual(result.events, [.next(220, 0), .next(222, 1), .next(250, 2), .completed(270)])
        XCTAssertEqual(
            inners.map(\.subscriptions),
            [[Subscription(210, 240)], [Subscription(212, 242)], [Subscription(240, 270)]])
    }

    func testMergesAndConcatenationsOfNoStreamsComplete() {
        let none: [Observable<Int>] = []
        let streams: [Observable<Int>] = [
            .merge(none), .concat(none), Observable<Observable<Int>>.empty().merge(),
            Observable<Observable<Int>>.empty().concat(), Observable<Observable<Int>>.empty().merge(maxConcurrent: 1),
            .catch(sequence: none), .empty().startWith(),
        ]
        for stream in streams { XCTAssertEqual(stream.record().events, [.completed]) }
    }

    func testGroupsEndWithTheSourceForEarlyAndLateObservers() {
        for stop in [Event<Int>.completed, .error(Fault.first)] {
            let subject = PublishSubject<Int>()
            let groups = Log<GroupedObservable<Int, Int>>()
            let subscription = subject.groupBy { $0 % 2 }.subscribe(onNext: { groups.append($0) }, onError: { _ in })
            subject.onNext(1)
            let first = Recorder<Int>()
            let groupSubscription = groups.all[0].subscribe(first)
            subject.onNext(3)
            subject.on(stop)
            XCTAssertEqual(first.events, [.next(3), stop])
            XCTAssertEqual(groups.all[0].record().events, [stop])
            groupSubscription.dispose()
            subscription.dispose()
        }
    }

    func testAGroupContinuesWithoutTheOuterStream() {
        let subject = PublishSubject<Int>()
        let first = Recorder<Int>()
        let subscription = SerialDisposable(), outer = SerialDisposable()
        outer.disposable = subject.groupBy { $0 % 2 }.subscribe(onNext: {
            subscription.disposable = $0.subscribe(first)
        })
        subject.onNext(1)
        outer.dispose()
        subject.onNext(2)
        subject.onNext(3)
        XCTAssertEqual(first.events, [.next(1), .next(3)])
        XCTAssertTrue(subject.hasObservers)
        subscription.dispose()
        XCTAssertFalse(subject.hasObservers)
    }
}
