import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

final class BulkheadTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private final class Bench: Sendable {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server: StubTransport
        let outcomes = Locked<[String]>([])
        private let client: HTTPClient

        init(limit: Int, queueLimit: Int) {
            server = StubTransport(scheduler: scheduler)
            client = HTTPClient(
                transport: server, scheduler: scheduler, layers: [Bulkhead(limit: limit, queueLimit: queueLimit)])
        }

        func response(_ url: String) -> Single<Response> { client.post(url) }

        func get(_ url: String = "http://a.example/") -> any Disposable {
            client.get(url).subscribe { [self] result in note(result) }
        }

        func note(_ result: Result<Response, any Error>) {
            switch result {
            case .success(let response): outcomes.withLock { $0.append("\(response.status.code)") }
            case .failure(let error):
                outcomes.withLock { $0.append((error as? HTTPClientError)?.code.rawValue ?? "\(error)") }
            }
        }
    }

    func testRequestsBeyondTheLimitWaitUntilAnotherHasEnded() {
        let bench = Bench(limit: 2, queueLimit: 10)
        bench.server.route { [bench] _ in
            .deferred(Observable<Int>.timer(.seconds(1), scheduler: bench.scheduler).asSingle().map { _ in .init() })
        }
        let requests = (0..<5).map { _ in bench.get() }
        XCTAssertEqual(bench.server.requestCount, 2)
        bench.scheduler.advanceBy(1000)
        XCTAssertEqual(bench.server.requestCount, 4)
        bench.scheduler.advanceBy(2000)
        XCTAssertEqual(bench.outcomes.withLock { $0 }, ["200", "200", "200", "200", "200"])
        for request in requests { request.dispose() }
        bench.server.route { _ in .init() }
    }

    func testEachOriginHasItsOwnLimit() {
        let bench = Bench(limit: 1, queueLimit: 10)
        bench.server.route { _ in .silence }
        let requests = [bench.get(), bench.get("http://b.example/")]
        XCTAssertEqual(bench.server.requestCount, 2)
        for request in requests { request.dispose() }
    }

    func testARequestForAFullQueueFailsAtOnce() {
        let bench = Bench(limit: 1, queueLimit: 1)
        bench.server.route { _ in .silence }
        let requests = (0..<3).map { _ in bench.get() }
        XCTAssertEqual(bench.outcomes.withLock { $0 }, ["overloaded"])
        for request in requests { request.dispose() }
    }

    /// Such a request was never sent, so no attempt is counted for it.
    func testRetriesOfRequestsForAFullQueueAreCounted() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let server = StubTransport(scheduler: scheduler)
        server.route { _ in ScriptedResponse(pieces: [[1], [2]]).pausing(.seconds(1000)) }
        var policy = RetryPolicy(limit: 2, random: { 0.5 })
        policy.errorCodes.insert(.overloaded)
        let counter = AttemptCounter()
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [Bulkhead(limit: 1, queueLimit: 0)],
            interceptors: [counter, policy])
        let codes = Locked<[String]>([])
        let requests = (0..<2).map { _ in
            client.get("http://a.example/").subscribe { result in
                if case .failure(let error) = result {
                    codes.withLock { $0.append("\((error as? HTTPClientError)?.code.rawValue ?? "")") }
                }
            }
        }
        scheduler.advanceTo(10_000)
        XCTAssertEqual(counter.numbers.withLock { $0 }, [1, 2, 3])
        XCTAssertEqual(codes.withLock { $0 }, ["overloaded"])
        for request in requests { request.dispose() }
        scheduler.start()
    }

    private struct AttemptCounter: RequestInterceptor {
        let numbers = Locked<[Int]>([])

        func retry(_ attempt: Attempt) -> Single<RetryResult> {
            numbers.withLock { $0.append(attempt.number) }
            return .just(.doNotRetry)
        }
    }

    func testALongQueueOfRequestsThatEndAtOnceNeedsNoStack() {
        let bench = Bench(limit: 1, queueLimit: 5000)
        bench.server.enqueue(.silence)
        bench.server.route { _ in .failure(.connect, in: .connecting) }
        let requests = (0...5000).map { _ in bench.get() }
        requests[0].dispose()
        XCTAssertEqual(bench.outcomes.withLock { $0 }, Array(repeating: "connect", count: 5000))
        for request in requests { request.dispose() }
    }

    func testACancelledRequestFreesItsSlotWhetherItRunsOrWaits() {
        let bench = Bench(limit: 1, queueLimit: 1)
        bench.server.enqueue(.silence)
        bench.server.route { _ in .init() }
        let running = bench.get()
        let waiting = bench.get()
        waiting.dispose()
        let next = bench.get()
        XCTAssertEqual(bench.outcomes.withLock { $0 }, [])
        running.dispose()
        bench.scheduler.advanceBy(10)
        XCTAssertEqual(bench.outcomes.withLock { $0 }, ["200"])
        next.dispose()
    }

    /// Some of the places that the first requests had are taken by later ones, which wait longest.
    func testRequestsOfOneStreamThatEndsDoNotStartEachOther() {
        let bench = Bench(limit: 2, queueLimit: 100)
        for _ in 0..<4 { bench.server.enqueue(.init()) }
        bench.server.route { _ in .silence }
        let urls = PublishSubject<String>()
        let running = urls.flatMap(bench.response).subscribe()
        for _ in 0..<10 { urls.onNext("http://a.example/") }
        bench.scheduler.advanceBy(10)
        for _ in 0..<10 { urls.onNext("http://a.example/") }
        XCTAssertEqual(bench.server.requestCount, 6)
        running.dispose()
        XCTAssertEqual(bench.server.requestCount, 6)
        XCTAssertEqual(bench.server.abandoned.count, 2)
    }

    func testARequestThatFollowsAnotherTakesItsPlace() {
        let bench = Bench(limit: 1, queueLimit: 0)
        bench.server.enqueue(ScriptedResponse(status: .found, headers: [.location: "/next"]), .init())
        bench.server.enqueue(.init(), .init(), .failure(.connect, in: .connecting), .init())
        let redirected = bench.get()
        bench.scheduler.advanceBy(10)
        let chained = bench.response("http://a.example/").flatMap { _ in bench.response("http://a.example/") }
            .subscribe { result in bench.note(result) }
        bench.scheduler.advanceBy(10)
        let repeated = bench.response("http://a.example/").retry(2).subscribe { result in bench.note(result) }
        bench.scheduler.advanceBy(10)
        XCTAssertEqual(bench.outcomes.withLock { $0 }, ["200", "200", "200"])
        for request in [redirected, chained, repeated] { request.dispose() }
    }

    func testAnErrorThatEndsAStreamStartsNoneOfItsRequestsThatWait() {
        let bench = Bench(limit: 2, queueLimit: 100)
        bench.server.enqueue(.failure(.connect, in: .connecting).after(.seconds(1)))
        bench.server.route { _ in .silence }
        let failures = Locked(0)
        let running = Observable.range(start: 0, count: 10).flatMap { _ in bench.response("http://a.example/") }
            .subscribe(onError: { _ in failures.withLock { $0 += 1 } })
        bench.scheduler.advanceBy(1000)
        XCTAssertEqual(failures.withLock { $0 }, 1)
        XCTAssertEqual(bench.server.requestCount, 2)
        running.dispose()
    }

    /// With a time for each that grows with the queue, this test would take minutes.
    func testAQueueLetsManyRequestsCancelInATimeThatDoesNotGrowWithIt() {
        let queue = BulkheadQueue(limit: 1, queueLimit: .max)
        let begun = Locked<[Int]>([])
        let permits = (0..<20_000).map { number in
            let parts = Observable<ResponsePart>.deferred {
                begun.withLock { $0.append(number) }
                return .never()
            }
            return BulkheadPermit(queue, parts, to: AnyObserver { _ in }, isLongLived: false)
        }
        for permit in permits {
            switch queue.enter(permit) {
            case .runs: permit.runAtOnce()
            case .waits(let number): permit.wait(as: number)
            case .refused: XCTFail("the queue has no limit")
            }
        }
        for permit in permits[3...].reversed() { permit.dispose() }
        for permit in [permits[1], permits[0], permits[2]] { permit.dispose() }
        XCTAssertEqual(begun.withLock { $0 }, [0, 2])
        XCTAssertTrue(queue.isEmpty)
    }
}
