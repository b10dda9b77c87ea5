import Freshet
import FreshetTesting
import XCTest

final class TestingVocabularyTests: VocabularyTestCase {
    func testHotAndColdSourcesWorkAsInRxTest() {
        let scheduler = TestScheduler(initialClock: 0)
        let hot = scheduler.createHotObservable([.next(150, 1), .next(210, 2), .completed(300)])
        let cold: TestableObservable<String> = scheduler.createColdObservable([
            .next(10, "a"), .error(20, Failure.first),
        ])
        let result = scheduler.start { hot.map { "\($0)" }.concat(cold) }
        XCTAssertEqual(result.events, [.next(210, "2"), .next(310, "a"), .error(320, Failure.first)])
        XCTAssertEqual(hot.subscriptions, [Subscription(200, 300)])
        XCTAssertEqual(cold.subscriptions, [Subscription(300, 320)])
        XCTAssertEqual(hot.recordedEvents.count, 3)
    }

    func testStartUsesTheTimesOfRxTest() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.1, simulateProcessingDelay: false)
        let source = scheduler.createHotObservable(
            Recorded.events(.next(5, 1), .next(20, 2), .next(40, 3), .completed(50)))
        let result = scheduler.start(created: 1, subscribed: 10, disposed: 30) { source }
        XCTAssertEqual(result.events, Recorded.events([.next(20, 2)]))
        let other = TestScheduler(initialClock: 0)
        XCTAssertEqual(other.start(disposed: 210) { Observable<Int>.never() }.events, [])
        XCTAssertEqual(TestScheduler.Defaults.created, 100)
        XCTAssertEqual(TestScheduler.Defaults.subscribed, 200)
        XCTAssertEqual(TestScheduler.Defaults.disposed, 1000)
    }

    func testTestObserversRecordEventsAsInRxTest() {
        let bag = DisposeBag()
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(Int.self)
        let subject = PublishSubject<Int>()
        subject.asObservable().subscribe(observer).disposed(by: bag)
        scheduler.scheduleAt(10) { subject.onNext(1) }
        scheduler.createColdObservable([.next(20, 2), .completed(30)]).bind(to: subject).disposed(by: bag)
        scheduler.start()
        let expected: [Recorded<Event<Int>>] = [.next(10, 1), .next(20, 2), .completed(30)]
        XCTAssertEqual(observer.events, expected)
        XCTAssertEqual(observer.events.map { $0.value.element }, [1, 2, nil])
        XCTAssertEqual(observer.events.first?.time, 10)
        XCTAssertEqual(scheduler.clock, 30)
    }

    func testBlockingWorksAsInRxBlocking() throws {
        let numbers = Observable.of(1, 2, 3)
        XCTAssertEqual(try numbers.toBlocking().toArray(), [1, 2, 3])
        XCTAssertEqual(try numbers.toBlocking(timeout: 10).first(), 1)
        XCTAssertEqual(try numbers.toBlocking().last(), 3)
        XCTAssertEqual(try Observable.just(1).toBlocking().single(), 1)
        XCTAssertEqual(try numbers.toBlocking().single { $0 == 2 }, 2)
        XCTAssertEqual(try Single.just(1).toBlocking().single(), 1)
        XCTAssertNil(try Maybe<Int>.empty().toBlocking().first())
        XCTAssertEqual(try Completable.empty().toBlocking().toArray().count, 0)
        switch numbers.toBlocking().materialize() {
        case .completed(let elements): XCTAssertEqual(elements, [1, 2, 3])
        case .failed(let elements, let error): XCTFail("\(elements) \(error)")
        }
        XCTAssertThrowsError(try numbers.toBlocking().single())
        XCTAssertThrowsError(try Observable<Int>.error(Failure.first).toBlocking().toArray()) { error in
            XCTAssertEqual(error as? Failure, .first)
        }
    }
}
