import Freshet
import FreshetTesting
import XCTest

/// Tests streams of time in an app: a search while the user types, polling, a countdown, and pages.
final class StreamsOfTimeTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)
    private var disposeBag = DisposeBag()
    private var resources = 0

    override func setUp() { resources = Resources.total }

    override func tearDown() {
        disposeBag = DisposeBag()
        // The thread of a queue may release a stream a moment after its last element.
        let end = ContinuousClock.now.advanced(by: .seconds(5))
        while Resources.total > resources, ContinuousClock.now < end { sched_yield() }
        XCTAssertLessThanOrEqual(Resources.total, resources)
    }

    func testASearchRunsForTheLatestDebouncedQuery() {
        var queries: [String] = []
        let typed = scheduler.createHotObservable([
            .next(210, "f"), .next(212, "fr"), .next(214, "fre"), .next(230, "fre"), .next(250, ""), .next(260, "rx"),
        ])
        let results = scheduler.start { [scheduler] in
            typed
                .debounce(.seconds(5), scheduler: scheduler)
                .distinctUntilChanged()
                .flatMapLatest { query -> Observable<[String]> in
                    if query.isEmpty { return .just([]) }
                    queries.append(query)
                    return Observable.just([query, query + "!"]).delay(.seconds(3), scheduler: scheduler)
                }
        }
        XCTAssertEqual(results.events, [.next(222, ["fre", "fre!"]), .next(255, []), .next(268, ["rx", "rx!"])])
        XCTAssertEqual(queries, ["fre", "rx"])
    }

    func testPollingStopsAtTheFinalStatus() {
        var polls = 0
        let status = Observable<Int>.timer(.seconds(0), period: .seconds(5), scheduler: scheduler)
            .flatMapLatest { _ -> Observable<String> in
                polls += 1
                return .just(polls < 3 ? "running" : "done")
            }
            .distinctUntilChanged()
            .take(until: { $0 == "done" }, behavior: .inclusive)
        let seen = scheduler.start { status }
        XCTAssertEqual(seen.events.compactMap(\.value.element), ["running", "done"])
        XCTAssertEqual(polls, 3)
    }

    func testACountdownEndsAtZero() {
        let total = 3
        let countdown = Observable<Int>.interval(.seconds(1), scheduler: scheduler)
            .map { total - 1 - $0 }
            .take(while: { $0 >= 0 })
            .startWith(total)
        let seen = scheduler.start { countdown }
        XCTAssertEqual(seen.events.compactMap { $0.value.element }, [3, 2, 1, 0])
    }

    func testPagesAreRequestedUntilAnEmptyPage() {
        var requestedPages: [Int] = []
        func page(_ number: Int) -> Single<[Int]> {
            requestedPages.append(number)
            return .just(number < 3 ? [number * 2, number * 2 + 1] : [])
        }
        func all(from number: Int = 0) -> Observable<[Int]> {
            page(number).asObservable().flatMap { items -> Observable<[Int]> in
                items.isEmpty ? .empty() : Observable.just(items).concat(all(from: number + 1))
            }
        }
        var items: [Int] = []
        all().subscribe(onNext: { items += $0 }).disposed(by: disposeBag)
        XCTAssertEqual(items, [0, 1, 2, 3, 4, 5])
        XCTAssertEqual(requestedPages, [0, 1, 2, 3])
    }

    func testNotificationsAreReceivedUntilTheDisposal() {
        let center = NotificationCenter()
        let name = Notification.Name("changed")
        let notifications = Observable<Notification>.create { observer in
            let token = center.addObserver(forName: name, object: nil, queue: nil) { observer.onNext($0) }
            return Disposables.create { center.removeObserver(token) }
        }
        var count = 0
        let subscription = notifications.subscribe(onNext: { _ in count += 1 })
        center.post(name: name, object: nil)
        subscription.dispose()
        center.post(name: name, object: nil)
        XCTAssertEqual(count, 1)
    }

    func testBlockingWaitsForResultsOfTheMainThread() throws {
        let squares = Observable.from(1...3)
            .observe(on: ConcurrentDispatchQueueScheduler(qos: .background))
            .map { $0 * $0 }
            .observe(on: MainScheduler.instance)
            .do(onNext: { _ in XCTAssertTrue(Thread.isMainThread) })
        XCTAssertEqual(try squares.toBlocking(timeout: 10).toArray(), [1, 4, 9])
        XCTAssertEqual(try squares.observe(on: MainScheduler.asyncInstance).toBlocking().last(), 9)
        XCTAssertEqual(
            try Single.just(1).delay(.milliseconds(1), scheduler: MainScheduler.instance).toBlocking().single(), 1)
        let never = Observable<Int>.never().observe(on: MainScheduler.instance)
        XCTAssertThrowsError(try never.toBlocking(timeout: 0.02).first()) { XCTAssertTrue($0 is RxError) }
    }

    func testWorkRunsOnAQueueAndResultsArriveOnTheMainThread() {
        let done = expectation(description: "done")
        Observable.from(1...3)
            .observe(on: SerialDispatchQueueScheduler(qos: .background))
            .map { $0 * $0 }
            .observe(on: MainScheduler.instance)
            .toArray()
            .subscribe(onSuccess: { squares in
                XCTAssertTrue(Thread.isMainThread)
                XCTAssertEqual(squares, [1, 4, 9])
                done.fulfill()
            })
            .disposed(by: disposeBag)
        wait(for: [done], timeout: 10)
    }
}
