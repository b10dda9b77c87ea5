import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests the directives of requests. Source: RFC 9111 section 5.2.1.
final class CacheRequestDirectiveTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The response was served at any age, until the server's own lifetime and the stale time had passed.
    func testMaxStaleExtendsTheAgeThatTheRequestAccepts() throws {
        for (directives, from) in [
            ("max-age=50, max-stale=20", "stale 60"), ("max-age=50, max-stale=5", "revalidated"),
            ("max-age=50, max-stale", "stale 60"), ("max-age=80, max-stale=5", "hit 60"),
        ] {
            let bench = CacheBench()
            bench.script(.ok, "Cache-Control: max-age=1000", #"ETag: "e""#)
            bench.script(.notModified)
            try bench.send()
            bench.pass(60)
            XCTAssertEqual(try bench.send(.get, "/a", [.cacheControl: directives]).from, from, directives)
        }
    }

    /// The response was stored, because only the caller's own fields were read.
    func testAResponseToARequestWithNoStoreThatAnInterceptorAddsIsNotStored() throws {
        struct NoStore: RequestInterceptor {
            func account(of request: Request) -> AccountResolution { .ready(nil) }

            func adapt(_ request: inout Request) -> Adaptation {
                request.headers[.cacheControl] = "no-store"
                return .ready
            }
        }
        let bench = CacheBench(interceptors: [NoStore()])
        bench.script(.ok, "Cache-Control: max-age=100")
        bench.script(.ok, "Cache-Control: max-age=100", body: "2")
        try bench.send()
        XCTAssertEqual(try bench.send().body, "2")
    }
}
