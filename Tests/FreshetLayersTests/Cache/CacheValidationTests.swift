import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests validation. Source: RFC 9111 sections 4.2.4, 4.3 and 5.2.1, RFC 5861.
final class CacheValidationTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testAStaleResponseIsValidatedWithBothValidators() throws {
        let bench = CacheBench()
        let modified = CacheBench.date(-100)
        bench.script(
            .ok, "Cache-Control: max-age=1", #"ETag: "e""#, "Last-Modified: \(modified)", "X: old", "Content-Length: 1")
        bench.script(.notModified, "Cache-Control: max-age=100", "X: new", "Content-Length: 9", "Content-Foo: f")
        XCTAssertEqual(try bench.send().from, "miss")
        bench.pass(10)
        let validated = try bench.send()
        XCTAssertEqual(bench.server.requests[1].headers[.ifNoneMatch], #""e""#)
        XCTAssertEqual(bench.server.requests[1].headers[.ifModifiedSince], modified)
        XCTAssertEqual(["\(validated.status)", validated.body, validated.from], ["200", "1", "revalidated"])
        XCTAssertEqual(bench.server.abandoned.count, 0, "the connection can be used again")
        XCTAssertEqual(
            [validated.headers["X"], validated.headers["Content-Length"], validated.headers["Content-Foo"]],
            ["new", "1", "f"])
        bench.pass(50)
        XCTAssertEqual(try bench.send().from, "hit 50", "its life is counted from the confirmation")
        XCTAssertEqual(bench.requestCount, 2)
    }

    func testAChangedResponseReplacesTheStoredOne() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=1", #"ETag: "e""#)
        bench.script(.ok, "Cache-Control: max-age=100", #"ETag: "f""#, body: "2")
        try bench.send()
        bench.pass(10)
        XCTAssertEqual(try bench.send().body, "2")
        let hit = try bench.send()
        XCTAssertEqual(hit.body, "2")
        XCTAssertEqual(hit.attempts, 0, "nothing was sent")
        XCTAssertEqual(bench.requestCount, 2)
    }

    func testAConditionalRequestOfTheCallerBypassesTheCache() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=100", #"ETag: "e""#)
        bench.script(.notModified, #"ETag: "e""#)
        bench.script(.partialContent, "Content-Range: bytes 0-0/1")
        try bench.send()
        let own = try bench.send(.get, "/a", [.ifNoneMatch: #""e""#])
        XCTAssertEqual(own.status, 304)
        XCTAssertNil(own.from)
        XCTAssertEqual(try bench.send(.get, "/a", [.range: "bytes=0-0"]).status, 206)
        XCTAssertEqual(try bench.send().from?.prefix(3), "hit")
    }

    func testCacheDirectivesOfTheRequestAreObeyed() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=100", #"ETag: "e""#)
        try bench.send()
        bench.pass(60)
        func from(_ directives: String) throws -> String? {
            try bench.send(.get, "/a", [.cacheControl: directives]).from
        }
        XCTAssertEqual(try from("max-age=80"), "hit 60")
        XCTAssertEqual(try from("min-fresh=30"), "hit 60")
        XCTAssertEqual(try from("only-if-cached"), "hit 60")
        for directives in ["max-age=50", "min-fresh=50", "no-cache", "max-age=0"] {
            bench.script(.notModified)
            XCTAssertEqual(try from(directives), "revalidated", directives)
            bench.pass(60)
        }
        let requestCount = bench.requestCount
        bench.pass(60)
        for path in ["/a", "/b"] {
            let outcome = try bench.send(.get, path, [.cacheControl: "only-if-cached"])
            XCTAssertEqual(outcome.status, 504)
            XCTAssertEqual(outcome.from, "unsatisfiable")
            XCTAssertEqual(outcome.attempts, 0, "nothing was sent")
        }
        XCTAssertEqual(try from("max-stale"), "stale 120")
        XCTAssertEqual(try from("max-stale=30"), "stale 120")
        XCTAssertEqual(bench.requestCount, requestCount)
        bench.script(.notModified)
        XCTAssertEqual(try from("max-stale=10"), "revalidated")
        let other = CacheBench()
        other.script(.ok, "Cache-Control: max-age=100")
        other.script(.ok, "Cache-Control: max-age=100")
        try other.send(.get, "/a", [.cacheControl: "no-store"])
        XCTAssertEqual(try other.send().from, "miss", "nothing of such an exchange is stored")
        other.script(.ok, body: "2")
        XCTAssertEqual(try other.send(.get, "/a", [.cacheControl: "no-store"]).body, "2")
        XCTAssertEqual(try other.send().body, "1", "what is stored stays")
    }

    /// nodejs/undici#5508: max-stale overrode must-revalidate, and so did stale-if-error.
    func testMustRevalidateForbidsEveryStaleResponse() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=1, must-revalidate, stale-if-error=100, stale-while-revalidate=100")
        bench.script(.serviceUnavailable)
        try bench.send()
        bench.pass(10)
        XCTAssertEqual(try bench.send(.get, "/a", [.cacheControl: "max-stale"]).status, 503)
    }

    /// nodejs/undici#4471: it was validated first, and called while.
    func testAStaleResponseIsUsedDuringASingleBackgroundValidation() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=1, stale-while-revalidate=60", #"ETag: "e""#)
        bench.script(.ok, "Cache-Control: max-age=100", body: "2")
        try bench.send()
        bench.pass(10)
        let stale = try bench.send()
        XCTAssertEqual(stale.from, "stale 10")
        XCTAssertEqual(stale.body, "1")
        XCTAssertEqual(bench.requestCount, 2)
        XCTAssertEqual(try bench.send().body, "2")
        XCTAssertEqual(bench.requestCount, 2)
    }

    func testTheBackgroundValidationCanBeAwaited() throws {
        for response in [ScriptedResponse(status: .notModified), .failure(.connectionLost, in: .waiting)] {
            let bench = CacheBench()
            bench.script(.ok, "Cache-Control: max-age=1, stale-while-revalidate=60", #"ETag: "e""#)
            try bench.send()
            bench.pass(10)
            let settled = Locked(0)
            _ = bench.cache.settled().subscribe(onSuccess: { settled.withLock { $0 += 1 } })
            XCTAssertEqual(settled.withLock { $0 }, 1, "nothing is under way")
            bench.server.enqueue(.deferred(Single.just(response).delay(.seconds(5), scheduler: bench.scheduler)))
            XCTAssertEqual(try bench.send().from, "stale 10")
            _ = bench.cache.settled().subscribe(onSuccess: { settled.withLock { $0 += 1 } })
            bench.pass(4)
            XCTAssertEqual(settled.withLock { $0 }, 1)
            bench.pass(2)
            XCTAssertEqual(settled.withLock { $0 }, 2)
        }
    }

    /// nodejs/undici PR#5732: with another `Vary` or strong tag, the stored response may belong to another request.
    func testAValidationWithAnotherVaryOrStrongTagFetchesTheResponseAgain() throws {
        for line in ["Vary: X", "Vary: *", #"ETag: "f""#] {
            let bench = CacheBench()
            bench.script(.ok, "Cache-Control: max-age=1", #"ETag: "e""#)
            bench.script(.notModified, line)
            bench.script(.ok, "Cache-Control: max-age=100", "Vary: X", body: "2")
            try bench.send()
            bench.pass(10)
            XCTAssertEqual(try bench.send().body, "2")
            XCTAssertNil(bench.server.requests[2].headers[.ifNoneMatch])
        }
    }

    func testATruncatedResponseIsNotStored() throws {
        let bench = CacheBench()
        bench.server.enqueue(
            ScriptedResponse(headers: [.cacheControl: "max-age=100"], body: "half").truncated(after: 2))
        bench.script(.ok, "Cache-Control: max-age=100", body: "whole")
        XCTAssertEqual(try bench.send().error?.code, .connectionLost)
        XCTAssertEqual(try bench.send().body, "whole")
    }

    func testAHEADRequestIsServedFromAStoredResponse() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=100")
        try bench.send()
        let head = try bench.send(.head)
        XCTAssertEqual(head.from?.prefix(3), "hit")
        XCTAssertEqual(head.body, "")
    }

    func testAResponseToHEADConfirmsOrInvalidatesTheStoredResponse() throws {
        for (tag, isRight) in [(#""e""#, true), (#""f""#, false)] {
            let bench = CacheBench()
            bench.script(.ok, "Cache-Control: max-age=1", #"ETag: "e""#)
            try bench.send()
            bench.pass(10)
            bench.script(.ok, "Cache-Control: max-age=100", "ETag: \(tag)")
            XCTAssertEqual(try bench.send(.head).from, "miss")
            bench.script(.ok, body: "2")
            XCTAssertEqual(try bench.send().body, isRight ? "1" : "2")
        }
    }

    func testAHeadIsDeliveredAfterTheStoreHasUpdatedIt() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let bench = CacheBench(store: SlowStore(scheduler), scheduler: scheduler)
        bench.script(.ok, "Cache-Control: max-age=1", #"ETag: "e""#)
        try bench.send()
        bench.pass(10)
        bench.script(.ok, "Cache-Control: max-age=100", #"ETag: "e""#, "X: new")
        let request = try Request(.head, "http://a.example/a")
        let delivered = Locked<[Int]>([])
        let subscription = bench.client.events(request).subscribe(onNext: { [scheduler] event in
            if case .head = event { delivered.withLock { $0.append(scheduler.clock) } }
        })
        let start = scheduler.clock
        scheduler.advanceBy(10)
        XCTAssertEqual(delivered.withLock { $0 }, [start + 5])
        XCTAssertEqual(try bench.send().headers[HTTPField.Name("X")!], "new")
        subscription.dispose()
    }

    func testAValidationResetsTheAgeAndUpdatesTheFields() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=200", #"ETag: "e""#, "Age: 190", "Content-Type: text/plain")
        bench.script(.notModified, "Content-Type: text/html")
        try bench.send()
        bench.pass(20)
        XCTAssertEqual(try bench.send().from, "revalidated")
        bench.pass(20)
        let hit = try bench.send()
        XCTAssertEqual(hit.from, "hit 20")
        XCTAssertEqual(hit.headers[.contentType], "text/html")
    }

    func testASuccessfulUnsafeRequestRemovesTheStoredResponses() throws {
        for method in [HTTPRequest.Method.post, .put, .delete, .patch, HTTPRequest.Method("M-SEARCH")!] {
            for (status, isRemoved) in [
                (HTTPResponse.Status.ok, true), (.found, true), (.badRequest, false), (.internalServerError, false),
            ] {
                let bench = CacheBench()
                bench.script(.ok, "Cache-Control: max-age=100")
                bench.script(.ok, "Cache-Control: max-age=100")
                try bench.send(.get, "/a")
                try bench.send(.get, "/b")
                bench.script(status, "Location: /b", "Content-Location: http://other.example/")
                if status == .found { bench.script(.ok) }
                try bench.send(method, "/a")
                for path in ["/a", "/b"] {
                    bench.script(.ok)
                    // The redirect leads to /b, which is fetched.
                    if status == .found, path == "/b" { continue }
                    XCTAssertEqual(try bench.send(.get, path).from == "miss", isRemoved, "\(method) \(status) \(path)")
                }
            }
        }
    }
}

/// A store whose updates take 5 ms.
private struct SlowStore: CacheStore {
    private let store = MemoryCacheStore()
    private let scheduler: TestScheduler

    init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    func responses(for key: CacheKey) -> StoredResponses { store.responses(for: key) }

    func body(of response: CachedResponse, for key: CacheKey) -> Observable<[UInt8]> {
        store.body(of: response, for: key)
    }

    func writer(of response: CachedResponse, for key: CacheKey) -> any CacheWriter {
        store.writer(of: response, for: key)
    }

    func update(_ response: CachedResponse, for key: CacheKey) -> Single<Void> {
        Single<Void>.just(()).delay(.milliseconds(5), scheduler: scheduler).flatMap { store.update(response, for: key) }
    }

    func remove(_ response: CachedResponse, for key: CacheKey) -> Single<Void> { store.remove(response, for: key) }
    func invalidate(_ url: RequestURL) -> Single<Void> { store.invalidate(url) }
}
