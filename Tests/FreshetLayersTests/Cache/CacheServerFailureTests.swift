import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests when a stale response replaces a failure of the server. Source: RFC 5861 section 4.
final class CacheServerFailureTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    func testAStaleResponseIsUsedWhenTheServerFailsAndAllowsIt() throws {
        for (window, isServed) in [("stale-if-error=60", true), ("stale-if-error=5", false), ("x", false)] {
            for status in [HTTPResponse.Status.internalServerError, .badGateway, .serviceUnavailable, .gatewayTimeout] {
                let bench = CacheBench()
                bench.script(.ok, "Cache-Control: max-age=1, \(window)")
                bench.script(status, body: "failed")
                try bench.send()
                bench.pass(10)
                let outcome = try bench.send()
                XCTAssertEqual(outcome.status, isServed ? 200 : status.code)
                XCTAssertEqual(outcome.from, isServed ? "stale 10" : "miss")
            }
            let bench = CacheBench()
            bench.script(.ok, "Cache-Control: max-age=1, \(window)")
            bench.server.enqueue(.failure(.connect, in: .connecting))
            try bench.send()
            bench.pass(10)
            let outcome = try bench.send()
            XCTAssertEqual(outcome.from, isServed ? "stale 10" : nil)
            XCTAssertEqual(outcome.error?.code, isServed ? nil : .connect)
        }
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=1, stale-if-error=60")
        bench.script(.notFound)
        try bench.send()
        bench.pass(10)
        XCTAssertEqual(try bench.send().status, 404, "that is no failure")
    }

    func testARequestThatWantsAValidationGetsTheFailureUnlessItAllowsAStaleResponse() throws {
        let pragma = HTTPField.Name("Pragma")!
        for (fields, isServed): (HTTPFields, Bool) in [
            ([.cacheControl: "no-cache"], false), ([pragma: "no-cache"], false),
            ([.cacheControl: "no-cache, stale-if-error=60"], true), ([.cacheControl: "max-age=0"], true),
        ] {
            for failure in [ScriptedResponse(status: .serviceUnavailable), .failure(.connect, in: .connecting)] {
                let bench = CacheBench()
                bench.script(.ok, "Cache-Control: max-age=1, stale-if-error=60")
                bench.server.enqueue(failure)
                try bench.send()
                bench.pass(10)
                XCTAssertEqual(try bench.send(.get, "/a", fields).from == "stale 10", isServed, "\(fields)")
            }
        }
    }
}
