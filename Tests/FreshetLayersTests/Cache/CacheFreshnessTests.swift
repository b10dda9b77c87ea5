import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests freshness. Source: RFC 9111 section 4.2, and the tests of http-tests/cache-tests that the comments name.
final class CacheFreshnessTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// Whether a response with these fields is served again after `seconds`.
    private func isReused(_ lines: [String], status: HTTPResponse.Status = .ok, after seconds: Int = 2) throws -> Bool {
        let bench = CacheBench()
        bench.script(
            status, lines.first ?? "", lines.count > 1 ? lines[1] : "X: 1", lines.count > 2 ? lines[2] : "Y: 1")
        bench.script(status, "X: 2", body: "2")
        try bench.send()
        bench.pass(seconds)
        return try bench.send().from?.hasPrefix("hit") ?? false
    }

    func testAResponseIsFreshForItsMaxAge() throws {
        XCTAssertTrue(try isReused(["Cache-Control: max-age=3600"]))
        XCTAssertTrue(try isReused(["Cache-Control: max-age=3"]))
        XCTAssertFalse(try isReused(["Cache-Control: max-age=1"]))
        XCTAssertFalse(try isReused(["Cache-Control: max-age=0"]))
        XCTAssertFalse(try isReused(["X: nothing"]))
        XCTAssertTrue(try isReused(["cache-control: Max-Age=3600"]))
        XCTAssertTrue(try isReused([#"Cache-Control: max-age="3600""#]))
        XCTAssertTrue(try isReused(["Cache-Control: max-age=003600"]))
        XCTAssertTrue(try isReused(["Cache-Control: max-age=99999999999999999999"]))
        XCTAssertTrue(try isReused([#"Cache-Control: extension="max-age=1, x", max-age=3600"#]))
    }

    func testAnInvalidMaxAgeMeansStale() throws {
        for value in ["-3600", "3600.0", "'3600'", "abc", "", "1, max-age=3600"] {
            XCTAssertFalse(try isReused(["Cache-Control: max-age=\(value)"]), value)
        }
        XCTAssertFalse(try isReused([#"Cache-Control: extension="max-age=3600""#]), "freshness-max-age-ignore-quoted")
        XCTAssertFalse(
            try isReused([#"Cache-Control: max-age=3600, extension="a, no-store"#]), "the quoted string has no end")
    }

    func testMaxAgePrecedesExpires() throws {
        XCTAssertTrue(try isReused(["Cache-Control: max-age=3600", "Expires: \(CacheBench.date(-100))"]))
        XCTAssertTrue(try isReused(["Cache-Control: max-age=3600", "Expires: 0"]))
        XCTAssertFalse(try isReused(["Cache-Control: max-age=1", "Expires: \(CacheBench.date(3600))"]))
    }

    func testExpiresIsParsedStrictly() throws {
        XCTAssertTrue(try isReused(["Expires: \(CacheBench.date(3600))", "Date: \(CacheBench.date(0))"]))
        XCTAssertTrue(try isReused(["Expires: \(CacheBench.date(3600))", "Date: nonsense"]))
        XCTAssertFalse(try isReused(["Expires: \(CacheBench.date(1))"]))
        XCTAssertTrue(try isReused(["Expires: sun, 06 nov 1994 18:49:37 gmt"]))
        XCTAssertTrue(try isReused(["Expires: Sunday, 06-Nov-94 18:49:37 GMT"]))
        XCTAssertTrue(try isReused(["Expires: Sun Nov  6 18:49:37 1994"]))
        for text in [
            "0", "Sun, 06 Nov 1994 18:49:37 UTC", "Sun, 06 Nov 1994 18:49:37 +0000", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun,  06 Nov 1994 18:49:37 GMT", "Sun 06 Nov 1994 18:49:37 GMT", "Sun, 06-Nov-1994 18:49:37 GMT",
            "Sun, 6 Nov 1994 18:49:37 GMT", "Sun, 06 Nov 94 18:49:37 GMT", "Sun, 06 Nov 1994 18.49.37 GMT", "",
        ] {
            XCTAssertFalse(try isReused(["Expires: \(text)"]), text)
        }
    }

    func testAReceivedAgeReducesTheFreshness() throws {
        XCTAssertFalse(try isReused(["Cache-Control: max-age=3600", "Age: 7200"]))
        XCTAssertTrue(try isReused(["Cache-Control: max-age=3600", "Age: 10"]))
        XCTAssertFalse(try isReused(["Cache-Control: max-age=3600", "Age: 7200, 1"]), "the first member")
        XCTAssertTrue(try isReused(["Cache-Control: max-age=3600", "Age: 1, 7200"]))
        for text in ["-7200", "7200.0", "abc", "7200 a"] {
            XCTAssertTrue(try isReused(["Cache-Control: max-age=3600", "Age: \(text)"]), text)
        }
        XCTAssertFalse(try isReused(["Cache-Control: max-age=3600", "Age: 2147483648"]))
        XCTAssertFalse(try isReused(["Cache-Control: max-age=3600", "Date: \(CacheBench.date(-7200))"]))
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=3600", "Age: 100")
        try bench.send()
        bench.pass(10)
        XCTAssertEqual(try bench.send().headers[.age], "110")
    }

    func testWithoutExplicitFreshnessATenthOfTheAgeOfTheResourceIsUsed() throws {
        let modified = "Last-Modified: \(CacheBench.date(-7200))"
        XCTAssertTrue(try isReused([modified]))
        XCTAssertFalse(try isReused([modified], after: 800))
        for code in [203, 404, 410, 414, 501] {
            XCTAssertTrue(try isReused([modified], status: .init(code: code)), "\(code)")
        }
        for code in [201, 202, 403, 502, 503, 599] {
            XCTAssertFalse(try isReused([modified], status: .init(code: code)), "\(code)")
            XCTAssertTrue(try isReused([modified, "Cache-Control: public"], status: .init(code: code)), "\(code)")
        }
    }

    func testAResponseThatEachRequestWouldReplaceIsNotStored() throws {
        let lines = [
            "X: 1": false, "Cache-Control: public": false, #"ETag: "e""#: true, "Cache-Control: stale-if-error=9": true,
        ]
        for (line, isStored) in lines {
            let bench = CacheBench()
            bench.script(.ok, line)
            try bench.send()
            let outcome = try bench.send(.get, "/a", [.cacheControl: "only-if-cached, max-stale"])
            XCTAssertEqual(outcome.from != "unsatisfiable", isStored, line)
        }
    }

    func testAResponseIsValidatedIfTheClockWasSetBackBeforeIt() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=100000", #"ETag: "e""#)
        bench.script(.notModified)
        try bench.send()
        bench.clockChange.withLock { $0 = -2 }
        XCTAssertEqual(try bench.send().from, "hit 0", "clocks are corrected by seconds all the time")
        bench.clockChange.withLock { $0 = -3600 }
        XCTAssertEqual(try bench.send(.get, "/a", [.cacheControl: "max-stale=1000"]).from, "revalidated")
        XCTAssertEqual(try bench.send().from, "hit 0", "its age is known again")
    }

    /// A program that writes all its requests in one form gives an empty body to a GET too.
    func testAResponseToAGETWithAnEmptyBodyIsStored() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=100")
        for _ in 1...2 {
            let request = try Request(.get, "http://a.example/a", body: .bytes([]))
            let subscription = bench.client.send(request).subscribe()
            bench.pass(1)
            subscription.dispose()
        }
        XCTAssertEqual(try bench.send().from, "hit 2")
        XCTAssertEqual(bench.requestCount, 1)
    }

    func testOtherStatusesAreStoredWithExplicitFreshness() throws {
        for code in [200, 203, 204, 299, 400, 404, 410, 499, 500, 502, 503, 504, 599] {
            XCTAssertTrue(try isReused(["Cache-Control: max-age=3600"], status: .init(code: code)), "\(code)")
        }
        XCTAssertFalse(try isReused(["Cache-Control: max-age=3600, must-understand"], status: .init(code: 599)))
        XCTAssertTrue(try isReused(["Cache-Control: max-age=3600, must-understand, no-store"]))
        XCTAssertFalse(try isReused(["Cache-Control: max-age=3600, no-store"]))
        XCTAssertTrue(try isReused(["Cache-Control: max-age=3600, private"]))
        XCTAssertFalse(try isReused(["Cache-Control: max-age=3600, no-cache"]))
        XCTAssertFalse(try isReused([#"Cache-Control: max-age=3600, no-cache="x""#]))
        XCTAssertTrue(try isReused(["Cache-Control: max-age=3600", "Content-Range: x"]), "headers-store-Content-Range")
    }
}
