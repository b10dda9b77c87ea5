import FreshetCore
import FreshetHTTP
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests validations that run while a stale response is served. Source: RFC 5861 section 3.
final class CacheBackgroundValidationTests: DiskCacheTestCase {
    /// The validation waited for the paused reader, and all others got the stale response until then.
    func testAReaderThatPausesDoesNotDelayTheValidationForTheOthers() throws {
        let bench = try bench()
        bench.script(.ok, "Cache-Control: max-age=1, stale-while-revalidate=600", body: "old")
        try bench.send()
        bench.pass(10)
        bench.script(.ok, "Cache-Control: max-age=100", body: "new")
        let text = Locked("")
        let paused = bench.client.send(try Request(.get, "http://a.example/a")).subscribe(
            onSuccess: { response in text.withLock { $0 = response.text } })
        (paused as? any Pausable)?.pause()
        bench.pass(1)
        XCTAssertEqual(try bench.send().body, "old")
        XCTAssertEqual(try bench.send().body, "new")
        (paused as? any Pausable)?.resume()
        bench.pass(1)
        XCTAssertEqual(bench.requestCount, 2, "one validation is enough")
        paused.dispose()
    }

    /// The token was never refreshed, and the stale response was served to the end of its window.
    func testAfterARefusedTokenTheNextRequestWaitsForAValidationWithANewOne() throws {
        let refresher = Refresher()
        let bench = CacheBench(interceptors: [refresher])
        bench.script(.ok, "Cache-Control: max-age=1, stale-while-revalidate=600", body: "old")
        try bench.send()
        bench.pass(10)
        for _ in 0..<2 { bench.script(.unauthorized, "Cache-Control: no-store") }
        bench.script(.ok, "Cache-Control: max-age=100", body: "new")
        XCTAssertEqual(try bench.send().body, "old")
        XCTAssertEqual(
            refresher.count.withLock { $0 }, 0, "no interceptor sees the response to a background validation")
        XCTAssertEqual(try bench.send().body, "new")
        XCTAssertEqual(refresher.count.withLock { $0 }, 1)
    }

    /// A response without end kept its connection for ever.
    func testAValidationInTheBackgroundHasALimitForItsWholeResponse() throws {
        let limits = Locked<[Duration?]>([])
        let transport = ObservableTransport { request in
            limits.withLock { $0.append(request.transfer?.totalTimeout) }
            let fields: HTTPFields = [.cacheControl: "max-age=0, stale-while-revalidate=600"]
            return .just(.head(HTTPResponse(status: .ok, headerFields: fields)))
        }
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let client = HTTPClient(
            transport: transport, scheduler: scheduler, layers: [HTTPCache(store: MemoryCacheStore())])
        for timeout in [nil, Duration.seconds(5)] {
            var request = try Request(.get, "http://a.example/")
            request.timeout = timeout
            for _ in 0..<2 { client.send(request).subscribe { _ in }.dispose() }
        }
        XCTAssertEqual(limits.withLock { $0 }, [nil, .seconds(60), .seconds(5), .seconds(5)])
    }

    func testAValidationWithoutAnEndIsFollowedByAnotherAfterItsLimit() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let requestCount = Locked(0)
        let transport = ObservableTransport { [scheduler] request in
            requestCount.withLock { $0 += 1 }
            let fields: HTTPFields = [.cacheControl: "max-age=0, stale-while-revalidate=600"]
            let head = ResponsePart.head(HTTPResponse(status: .ok, headerFields: fields))
            guard let limit = request.transfer?.totalTimeout else { return .just(head) }
            let end = Observable<Int>.timer(limit, scheduler: scheduler).flatMap { _ in
                Observable<ResponsePart>.error(HTTPClientError(.timeout, phase: .receiving, message: "too long"))
            }
            return end.startWith(head)
        }
        let client = HTTPClient(
            transport: transport, scheduler: scheduler,
            layers: [HTTPCache(store: MemoryCacheStore(), secondsSince1970: { CacheBench.start })])
        let responses = Locked(0)
        let counts = try [0, 0, 59_999, 1, 59_999, 1].map { milliseconds in
            scheduler.advanceBy(milliseconds)
            client.send(try Request(.get, "http://a.example/")).subscribe { _ in responses.withLock { $0 += 1 } }
                .dispose()
            return requestCount.withLock { $0 }
        }
        XCTAssertEqual(counts, [1, 2, 2, 3, 3, 4])
        XCTAssertEqual(responses.withLock { $0 }, 6, "each caller gets the stale response at once")
        scheduler.advanceBy(60_000)
    }

    func testAFailureOfTheServerDoesNotShowThatTheCredentialIsValidAgain() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=1, stale-while-revalidate=600", body: "old")
        try bench.send()
        bench.pass(10)
        for status in [HTTPResponse.Status.unauthorized, .serviceUnavailable, .unauthorized] { bench.script(status) }
        XCTAssertEqual(try (0..<3).map { _ in try bench.send().status }, [200, 503, 401])
    }

    func testAResponseIsServedStaleAgainAfterAValidationThatHadACredential() throws {
        let bench = CacheBench()
        let line = "Cache-Control: max-age=1, stale-while-revalidate=600"
        bench.script(.ok, line, #"ETag: "e""#, body: "old")
        try bench.send()
        bench.pass(10)
        bench.script(.unauthorized)
        bench.script(.notModified, line)
        XCTAssertEqual(try (0..<2).map { _ in try bench.send().from }, ["stale 10", "revalidated"])
        bench.pass(10)
        bench.script(.notModified, line)
        XCTAssertEqual(try bench.send().from, "stale 10")
    }
}

/// Repeats a request that was refused.
private final class Refresher: RequestInterceptor {
    let count = Locked(0)

    func peek(at head: HTTPResponse, of request: Request) -> Peek {
        head.status == .unauthorized ? .body(limit: 1) : .nothing
    }

    func account(of request: Request) -> AccountResolution { .ready(nil) }

    func retry(_ attempt: Attempt) -> Single<RetryResult> {
        guard case .response = attempt.outcome else { return .just(.doNotRetry) }
        count.withLock { $0 += 1 }
        return .just(.retry)
    }
}
