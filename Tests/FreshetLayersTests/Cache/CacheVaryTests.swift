import FreshetCore
import FreshetHTTP
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests which of several stored responses a request gets. Source: RFC 9111 section 4.1.
final class CacheVaryTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// The later default response was served to every request, also to those that had selected another one.
    func testADefaultResponseWithoutVaryDoesNotHideTheOnesThatRequestsHaveSelected() throws {
        let bench = CacheBench()
        let german: HTTPFields = [.acceptLanguage: "de"]
        bench.script(.ok, "Cache-Control: max-age=100", "Vary: Accept-Language", body: "de")
        try bench.send(.get, "/a", german)
        bench.pass(1)
        bench.script(.ok, "Cache-Control: max-age=100", body: "default")
        XCTAssertEqual(try bench.send().body, "default")
        XCTAssertEqual(try bench.send(.get, "/a", german).body, "de")
        XCTAssertEqual(try bench.send().body, "default")
        XCTAssertEqual(try bench.send(.get, "/a", [.acceptLanguage: "fr"]).body, "default")
        XCTAssertEqual(bench.requestCount, 2)
    }

    /// Servers such as nginx send no `Vary: Accept-Encoding` by default. The compressed body was served as if it were decoded.
    func testABodyThatTheTransportHasNotDecodedIsServedOnlyToRequestsThatWantIt() throws {
        let bench = CacheBench()
        let own: HTTPFields = [.acceptEncoding: "gzip"]
        bench.script(.ok, "Cache-Control: max-age=100", "Content-Encoding: gzip", body: "coded")
        bench.script(.ok, "Cache-Control: max-age=100", body: "decoded")
        XCTAssertEqual(try bench.send(.get, "/a", own).body, "coded")
        XCTAssertEqual(try bench.send(.get, "/a", own).from, "hit 0")
        XCTAssertEqual(try bench.send().body, "decoded")
        XCTAssertEqual(try bench.send().from, "hit 0")
        XCTAssertEqual(try bench.send(.get, "/a", own).from, "hit 0")
        XCTAssertEqual(bench.requestCount, 2)
    }

    /// The two names were read as one, which no request has, so one language was served to all.
    func testAForgottenCommaInVaryHidesNoName() throws {
        let bench = CacheBench()
        for language in ["de", "fr"] {
            bench.script(.ok, "Cache-Control: max-age=100", "Vary: Accept Accept-Language", body: language)
            XCTAssertEqual(try bench.send(.get, "/a", [.acceptLanguage: language]).body, language)
        }
        XCTAssertEqual(try bench.send(.get, "/a", [.acceptLanguage: "de"]).from, "hit 0")
    }

    func testAResponseWithAMalformedNameInVaryIsNotStored() throws {
        let bench = CacheBench()
        for body in ["1", "2"] {
            bench.script(.ok, "Cache-Control: max-age=100", "Vary: Accept;Accept-Language", body: body)
            XCTAssertEqual(try bench.send().body, body)
        }
    }

    /// With a time that is quadratic in the number of names this test would take minutes.
    func testTheTimeToReadVaryIsLinear() throws {
        let names = (0..<100_000).map { "n\($0)" }
        let fields: HTTPFields = [.vary: (names + names).joined(separator: ",")]
        XCTAssertEqual(Vary.names(in: fields).map(Set.init), Set(names))
    }
}
