import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetLayers

/// Tests which responses show that a stored one is no longer valid.
final class CacheSupersedingTests: XCTestCase {
    private var resources = 0

    override func setUp() { resources = Resources.total }
    override func tearDown() { XCTAssertEqual(Resources.total, resources) }

    /// It was served until the end of the window, whatever the server responded.
    func testAResponseThatABackgroundValidationHasNotConfirmedIsNotServedAgain() throws {
        for (status, line) in [
            (HTTPResponse.Status.notFound, "X: 1"), (.gone, "Cache-Control: no-store"), (.forbidden, "X: 1"),
            (.ok, "Cache-Control: no-store"),
        ] {
            let bench = CacheBench()
            bench.script(
                .ok, "Cache-Control: max-age=1, stale-while-revalidate=86400", #"ETag: "e""#, body: "old")
            try bench.send()
            bench.pass(10)
            for _ in 0..<2 { bench.script(status, line, body: "new") }
            XCTAssertEqual(try bench.send().body, "old")
            let next = try bench.send()
            XCTAssertEqual(["\(next.status)", next.body, next.from], ["\(status.code)", "new", "miss"], line)
        }
    }

    func testAFailureThatSaysNothingAboutTheResponseKeepsIt() throws {
        for status in [HTTPResponse.Status.unauthorized, .tooManyRequests, .internalServerError, .badGateway] {
            let bench = CacheBench()
            bench.script(
                .ok, "Cache-Control: max-age=1, stale-while-revalidate=86400", #"ETag: "e""#, body: "old")
            try bench.send()
            bench.pass(10)
            bench.script(status)
            bench.script(.notModified, "Cache-Control: max-age=100")
            XCTAssertEqual(try bench.send().body, "old")
            XCTAssertEqual(try bench.send().body, "old")
            XCTAssertEqual(bench.server.requests.last?.headers[.ifNoneMatch], #""e""#, "\(status)")
        }
    }

    func testAHeadWithAnotherStatusRemovesTheStoredResponse() throws {
        for (first, second) in [(HTTPResponse.Status.notFound, HTTPResponse.Status.ok), (.ok, .notFound)] {
            let bench = CacheBench()
            bench.script(first, "Cache-Control: max-age=10", body: "")
            try bench.send()
            bench.pass(20)
            bench.script(second, "Cache-Control: max-age=100", body: "")
            XCTAssertEqual(try bench.send(.head).status, second.code)
            bench.script(second, "Cache-Control: max-age=100", body: "new")
            let outcome = try bench.send()
            XCTAssertEqual(["\(outcome.status)", outcome.body], ["\(second.code)", "new"])
        }
    }

    /// It was served to all requests, though its head named a field that selects it.
    func testAHeadWithAnotherVaryRemovesTheStoredResponse() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=1", #"ETag: "e""#, body: "en")
        try bench.send(.get, "/a", [.acceptLanguage: "en"])
        bench.pass(10)
        bench.script(.ok, "Cache-Control: max-age=100", #"ETag: "e""#, "Vary: Accept-Language", body: "en")
        try bench.send(.head, "/a", [.acceptLanguage: "en"])
        bench.script(.ok, body: "de")
        XCTAssertEqual(try bench.send(.get, "/a", [.acceptLanguage: "de"]).body, "de")
    }

    func testAHeadWithTheSameErrorConfirmsIt() throws {
        let bench = CacheBench()
        bench.script(.notFound, "Cache-Control: max-age=10", body: "")
        try bench.send()
        bench.pass(20)
        bench.script(.notFound, "Cache-Control: max-age=100", body: "")
        try bench.send(.head)
        XCTAssertEqual(try bench.send().from?.prefix(3), "hit")
    }

    func testAHeadWithAnotherLengthThanTheStoredBodyRemovesTheStoredResponse() throws {
        for (length, isSame) in [(5, true), (9, false)] {
            let bench = CacheBench()
            var first = ScriptedResponse(headers: [.cacheControl: "max-age=1"], body: "12345")
            first.framing = .chunked
            bench.server.enqueue(first)
            try bench.send()
            bench.pass(10)
            bench.script(.ok, "Cache-Control: max-age=100", body: String(repeating: "9", count: length))
            try bench.send(.head)
            bench.script(.ok, body: "new")
            XCTAssertEqual(try bench.send().body, isSame ? "12345" : "new")
        }
    }

    /// The date of the stored response was kept, so it seemed to be old at once.
    func testAConfirmationWithoutADateIsFresh() throws {
        let bench = CacheBench()
        bench.script(.ok, "Cache-Control: max-age=10", #"ETag: "e""#, "Date: \(CacheBench.date(0))")
        try bench.send()
        bench.pass(100)
        bench.script(.notModified)
        XCTAssertEqual(try bench.send().from, "revalidated")
        XCTAssertEqual(try bench.send().from?.prefix(3), "hit")
    }

    func testAResponseThatWasSentBeforeAnUnsafeRequestIsNotStored() throws {
        let bench = CacheBench()
        bench.server.enqueue(
            ScriptedResponse(headers: [.cacheControl: "max-age=1000"], body: "old").after(.seconds(2)))
        bench.server.enqueue(ScriptedResponse(status: .noContent))
        let old = Locked("")
        _ = bench.client.send(try Request(.get, "http://a.example/a")).subscribe(
            onSuccess: { response in old.withLock { $0 = response.text } })
        bench.pass(1)
        try bench.send(.put)
        bench.pass(3)
        XCTAssertEqual(old.withLock { $0 }, "old")
        bench.script(.ok, "Cache-Control: max-age=1000", body: "new")
        XCTAssertEqual(try bench.send().body, "new")
        XCTAssertEqual(try bench.send().from?.prefix(3), "hit", "later responses are stored")
    }
}
