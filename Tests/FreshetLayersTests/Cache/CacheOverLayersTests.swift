import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests a cache over other layers.
final class CacheOverLayersTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    private func cache(_ store: MemoryCacheStore) -> HTTPCache {
        HTTPCache(
            store: store,
            secondsSince1970: { [scheduler] in CacheBench.start + scheduler.now.sinceStart / .seconds(1) })
    }

    private func begin(
        _ client: HTTPClient, _ method: HTTPRequest.Method = .get, _ path: String = "/a"
    ) throws -> Locked<Response?> {
        let response = Locked<Response?>(nil)
        _ = client.send(try Request(method, "http://a.example\(path)")).subscribe(
            onSuccess: { value in response.withLock { $0 = value } })
        return response
    }

    /// The second caller got the 304.
    func testTwoCallersWhoseValidationIsCoalescedBothGetTheStoredResponse() throws {
        let server = StubTransport(scheduler: scheduler)
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [cache(MemoryCacheStore()), Coalescing()])
        server.enqueue(ScriptedResponse(headers: [.cacheControl: "max-age=1", .eTag: #""e""#], body: "one"))
        server.enqueue(
            ScriptedResponse(status: .notModified, headers: [.cacheControl: "max-age=100"]).after(.milliseconds(100)))
        _ = try begin(client)
        scheduler.advanceBy(10_000)
        let responses = [try begin(client), try begin(client)]
        scheduler.advanceBy(1000)
        XCTAssertEqual(server.requestCount, 2)
        XCTAssertEqual(responses.map { $0.withLock { $0?.status.code } }, [200, 200])
        XCTAssertEqual(responses.map { $0.withLock { $0?.text } }, ["one", "one"])
    }

    /// The second attempt, sent after the change, made the response to the first one look new.
    func testTheResponseToAFirstAttemptFromBeforeAChangeIsNotStored() throws {
        let server = StubTransport(scheduler: scheduler)
        var settings = Hedging.Settings()
        settings.minimumResponses = 1
        let hedging = Hedging(settings, budget: RetryBudget(scheduler: scheduler), scheduler: scheduler)
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [cache(MemoryCacheStore()), hedging])
        let headers: HTTPFields = [.cacheControl: "max-age=1000"]
        server.enqueue(ScriptedResponse(body: "learned").after(.milliseconds(50)))
        _ = try begin(client, .get, "/b")
        scheduler.advanceBy(1000)
        server.enqueue(ScriptedResponse(headers: headers, body: "old").after(.milliseconds(200)))
        server.enqueue(ScriptedResponse(status: .noContent))
        server.enqueue(ScriptedResponse(headers: headers, body: "new").after(.milliseconds(1000)))
        let before = try begin(client)
        scheduler.advanceBy(10)
        _ = try begin(client, .put)
        scheduler.advanceBy(300)
        XCTAssertEqual(server.requestCount, 4, "the second attempt was sent")
        XCTAssertEqual(before.withLock { $0?.text }, "old")
        server.enqueue(ScriptedResponse(headers: headers, body: "new"))
        let after = try begin(client)
        scheduler.advanceBy(300)
        XCTAssertEqual(after.withLock { $0?.text }, "new")
    }

    /// A request that joined another one after the change stored the response from before it.
    func testTheResponseToACoalescedRequestFromBeforeAChangeIsNotStored() throws {
        let server = StubTransport(scheduler: scheduler)
        let client = HTTPClient(
            transport: server, scheduler: scheduler, layers: [cache(MemoryCacheStore()), Coalescing()])
        let headers: HTTPFields = [.cacheControl: "max-age=1000"]
        server.enqueue(ScriptedResponse(headers: headers, body: "old").after(.milliseconds(100)))
        server.enqueue(ScriptedResponse(status: .noContent))
        server.route { _ in ScriptedResponse(headers: headers, body: "new").after(.milliseconds(200)) }
        _ = try begin(client)
        scheduler.advanceBy(10)
        _ = try begin(client, .put)
        scheduler.advanceBy(10)
        for _ in 0..<2 {
            let after = try begin(client)
            scheduler.advanceBy(1000)
            XCTAssertEqual(after.withLock { $0?.text }, "new")
        }
        XCTAssertEqual(server.requestCount, 3, "the new response is stored")
    }

    /// A transport that responds without sending anything left the time of the request at 1970.
    func testAResponseOfALowerCacheIsFreshInTheUpperOne() throws {
        let server = StubTransport(scheduler: scheduler)
        server.route { _ in ScriptedResponse(headers: [.cacheControl: "max-age=1000"], body: "one") }
        let lower = MemoryCacheStore()
        let one = HTTPClient(transport: server, scheduler: scheduler, layers: [cache(lower)])
        let both = HTTPClient(
            transport: server, scheduler: scheduler, layers: [cache(MemoryCacheStore()), cache(lower)])
        for client in [one, both] {
            _ = try begin(client)
            scheduler.advanceBy(1000)
        }
        _ = lower.invalidate(try RequestURL("http://a.example/a")).subscribe()
        let response = try begin(both)
        scheduler.advanceBy(1000)
        XCTAssertEqual(response.withLock { $0?.text }, "one")
        XCTAssertEqual(server.requestCount, 1)
    }

    func testNothingIsDeliveredAfterTheDisposalWhileTheStoreUpdatesAResponse() throws {
        let store = LateUpdates()
        let bench = CacheBench(store: store)
        bench.script(.ok, "Cache-Control: max-age=1", #"ETag: "e""#)
        bench.script(.notModified)
        try bench.send()
        bench.pass(10)
        let receiver = CountingReceiver()
        let transfer = bench.cache.wrapping(bench.server)
            .transfer(try Request(.get, "http://a.example/a"), to: receiver)
        transfer.start()
        bench.pass(1)
        let count = receiver.calls.withLock { $0 }
        transfer.dispose()
        let updates = store.updates.withLock { updates in
            defer { updates = [] }
            return updates
        }
        XCTAssertEqual(updates.count, 1)
        for update in updates { update() }
        XCTAssertEqual(receiver.calls.withLock { $0 }, count)
    }
}

/// A store whose updates end when a test ends them.
private struct LateUpdates: CacheStore {
    let updates = Locked<[@Sendable () -> Void]>([])
    private let store = MemoryCacheStore()

    func responses(for key: CacheKey) -> StoredResponses { store.responses(for: key) }

    func body(of response: CachedResponse, for key: CacheKey) -> Observable<[UInt8]> {
        store.body(of: response, for: key)
    }

    func writer(of response: CachedResponse, for key: CacheKey) -> any CacheWriter {
        store.writer(of: response, for: key)
    }

    func update(_ response: CachedResponse, for key: CacheKey) -> Single<Void> {
        .create { [updates] observer in
            updates.withLock { $0.append { observer(.success(())) } }
            return Disposables.create()
        }
    }

    func remove(_ response: CachedResponse, for key: CacheKey) -> Single<Void> { store.remove(response, for: key) }
    func invalidate(_ url: RequestURL) -> Single<Void> { store.invalidate(url) }
}

private final class CountingReceiver: TransferReceiver {
    let calls = Locked(0)

    func prepare(_ request: inout Request) -> Adaptation { .ready }
    func account(of request: Request) -> AccountResolution { .ready(nil) }
    func willSend(_ request: Request) {}
    func receive(_ part: consuming ResponsePart) { calls.withLock { $0 += 1 } }
    func receiveEnd(_ failure: (any Error)?) { calls.withLock { $0 += 1 } }
}
