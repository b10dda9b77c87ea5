import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests that only the response to the cache's own question confirms or removes a stored one.
final class CacheConditionTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testA304ToAConditionOfAnInterceptorConfirmsNothing() throws {
        struct Condition: RequestInterceptor {
            func adapt(_ request: inout Request) -> Adaptation {
                request.headers[.ifNoneMatch] = #""own""#
                return .ready
            }
        }
        let bench = CacheBench(interceptors: [Condition()])
        bench.script(.ok, "Cache-Control: max-age=1", #"ETag: "e""#)
        bench.script(.notModified, "Cache-Control: max-age=100")
        try bench.send()
        bench.pass(10)
        let outcome = try bench.send()
        XCTAssertEqual(outcome.from, "miss")
        XCTAssertEqual(outcome.status, 304)
    }

    /// The directive replaced the stored lifetime, and the confirmed response was fresh for a tenth of its age.
    func testAResponseWhoseConfirmationForbidsStoringIsServedOnceAndRemoved() throws {
        for method in [HTTPRequest.Method.get, .head] {
            let bench = CacheBench()
            bench.script(
                .ok, "Cache-Control: max-age=1", #"ETag: "e""#, "Last-Modified: Sun, 06 Nov 1993 08:49:37 GMT",
                "Date: \(CacheBench.date(0))", body: "1")
            bench.script(
                method == .get ? .notModified : .ok, "Cache-Control: no-store", #"ETag: "e""#,
                "Date: \(CacheBench.date(10))", body: "")
            bench.script(.ok, "Cache-Control: no-store", body: "3")
            try bench.send()
            bench.pass(10)
            let confirmed = try bench.send(method)
            XCTAssertEqual(confirmed.status, 200)
            if method == .get { XCTAssertEqual([confirmed.body, confirmed.from], ["1", "revalidated"]) }
            let next = try bench.send()
            XCTAssertEqual([next.body, next.from], ["3", "miss"])
            XCTAssertNil(bench.server.requests.last?.headers[.ifNoneMatch], "nothing is stored")
        }
    }

    func testAConfirmationWithAnotherWeakTagConfirmsNothing() throws {
        for (stored, confirmed, isSame) in [
            (#"W/"a""#, #"W/"b""#, false), (#""a""#, #"W/"b""#, false), (#"W/"a""#, #""b""#, false),
            (#""a""#, #""b""#, false), (#"W/"a""#, #"W/"a""#, true), (#""a""#, #"W/"a""#, true),
            (#"W/"a""#, #""a""#, true), (#""a""#, #""a""#, true),
        ] {
            let bench = CacheBench()
            bench.script(.ok, "Cache-Control: max-age=1", "ETag: \(stored)")
            bench.script(.notModified, "ETag: \(confirmed)", "Cache-Control: max-age=100")
            bench.script(.ok, body: "2")
            try bench.send()
            bench.pass(10)
            XCTAssertEqual(try bench.send().body, isSame ? "1" : "2", "\(stored) \(confirmed)")
        }
    }

    func testAResponseFromAnotherURLConfirmsAndRemovesNothing() throws {
        struct Moving: RequestInterceptor {
            let query: Locked<String?>

            func adapt(_ request: inout Request) -> Adaptation {
                if let query = query.withLock({ $0 }), let url = try? request.url.resolving(query) { request.url = url }
                return .ready
            }
        }
        let query = Locked<String?>(nil)
        let bench = CacheBench(interceptors: [Moving(query: query)])
        bench.script(.ok, "Cache-Control: max-age=1, stale-if-error=60", #"ETag: "e""#)
        try bench.send()
        bench.pass(10)
        query.withLock { $0 = "?q" }
        bench.script(.ok, #"ETag: "f""#)
        XCTAssertEqual(try bench.send(.head).from, "miss")
        bench.script(.serviceUnavailable)
        XCTAssertEqual(try bench.send().status, 503)
        bench.server.enqueue(.failure(.connect, in: .connecting))
        XCTAssertEqual(try bench.send().error?.code, .connect)
        XCTAssertEqual(bench.server.requests.filter { $0.headers.contains(.ifNoneMatch) }.count, 0)
        XCTAssertEqual(try bench.send(.get, "/a", [.cacheControl: "max-stale"]).body, "1")
    }

    /// The cache passed them on.
    func testARequestThatWantsOnlyAStoredResponseIsNeverSent() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=100", #"ETag: "e""#)
        try bench.send()
        for fields: HTTPFields in [[.range: "bytes=0-0"], [.ifNoneMatch: #""e""#]] {
            var fields = fields
            fields[.cacheControl] = "only-if-cached"
            let outcome = try bench.send(.get, "/a", fields)
            XCTAssertEqual(["\(outcome.status)", outcome.from], ["504", "unsatisfiable"])
        }
        bench.logIn("token", id: nil)
        XCTAssertEqual(try bench.send(.get, "/a", [.cacheControl: "only-if-cached"]).from, "unsatisfiable")
        XCTAssertEqual(bench.requestCount, 1)
    }

    /// The cache repeats a request whose stored response can't be used after all.
    func testARequestThatMayBeSentOnlyOnceIsSentAsItIs() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=1, stale-while-revalidate=100", #"ETag: "e""#)
        try bench.send()
        bench.pass(10)
        var request = try Request(.get, "http://a.example/a")
        request.isOneShot = true
        bench.script(.ok, body: "new")
        let text = Locked("")
        _ = bench.client.send(request).subscribe(onSuccess: { response in text.withLock { $0 = response.text } })
        bench.pass(1)
        XCTAssertEqual(text.withLock { $0 }, "new")
        XCTAssertNil(bench.server.requests.last?.headers[.ifNoneMatch])
        XCTAssertEqual(bench.requestCount, 2)
    }

    /// The stored response had the caller's `Accept-Encoding`, and the lookup that of the interceptor.
    func testAResponseThatVariesByAnEncodingThatAnInterceptorSetsIsUsedAgain() throws {
        struct Encoding: RequestInterceptor {
            func adapt(_ request: inout Request) -> Adaptation {
                request.headers[.acceptEncoding] = "gzip"
                return .ready
            }
        }
        let bench = CacheBench(interceptors: [Encoding()])
        bench.script(.ok, "Cache-Control: max-age=100", "Vary: Accept-Encoding, Origin")
        try bench.send()
        XCTAssertEqual(try bench.send().from, "hit 0")
    }
}
