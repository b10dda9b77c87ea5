import FreshetCore
import FreshetHTTP
import FreshetHTTPTesting
import FreshetTesting
import HTTPTypes
import XCTest

/// Tests which cookies a client with a jar sends with each redirect and each attempt.
final class ClientCookieTests: StubbedTestCase {
    private let jar = CookieJar(secondsSince1970: { 0 })

    private func get(_ url: String, headers: HTTPFields = [:], _ others: [any RequestInterceptor] = []) throws {
        let client = HTTPClient(transport: transport, scheduler: scheduler, interceptors: others + [jar])
        let subscription = client.get(url, headers: headers).subscribe { _ in }
        scheduler.start()
        subscription.dispose()
    }

    private var sent: [String?] { transport.requests.map { $0.headers[.cookie] } }

    /// A layer that kept the identity of a jar took a later one at the same address for it.
    func testNoJarIsTakenForAnEarlierOne() throws {
        var all = Set<CookieJars>()
        for _ in 0..<100 {
            var request = try Request(.get, "http://a.example/")
            CookieJar().begin(&request)
            all.insert(try XCTUnwrap(request.tags[CookieJars.self]))
        }
        XCTAssertEqual(all.count, 100)
    }

    func testTheHeadOfAnErrorIsNotHeldBackForTheJar() throws {
        let request = try Request(.get, "http://h.z/")
        XCTAssertEqual(jar.peek(at: HTTPResponse(status: .notFound), of: request), .nothing)
    }

    func testACookieFromAResponseIsSentWithTheNextRequest() throws {
        transport.enqueue(ScriptedResponse(headers: [.setCookie: "a=b"]), ScriptedResponse(), ScriptedResponse())
        try get("http://h.z/")
        try get("http://h.z/")
        try get("http://other.z/")
        XCTAssertEqual(sent, [nil, "a=b", nil])
    }

    func testARedirectSetsCookiesAndEachHostReceivesItsOwn() throws {
        jar.set(Cookie(name: "other", value: "1", domain: "other.z"))
        transport.enqueue(
            ScriptedResponse(status: 302, headers: [.setCookie: "a=b", .location: "http://other.z/"]),
            ScriptedResponse(status: 302, headers: [.location: "http://h.z/back"]), ScriptedResponse())
        try get("http://h.z/")
        XCTAssertEqual(sent, [nil, "other=1", "a=b"])
    }

    func testAnExplicitCookieIsNotSentToAnotherOriginAndReplacesAStoredOneOfItsName() throws {
        jar.set(Cookie(name: "a", value: "kept", domain: "h.z"))
        jar.set(Cookie(name: "b", value: "kept", domain: "h.z"))
        transport.enqueue(
            ScriptedResponse(status: 302, headers: [.location: "http://other.z/"]), ScriptedResponse())
        try get("http://h.z/", headers: [.cookie: "a=given; c=given"])
        XCTAssertEqual(sent, ["b=kept; a=given; c=given", nil])
    }

    func testARetriedResponseSetsCookiesToo() throws {
        transport.enqueue(ScriptedResponse(status: 503, headers: [.setCookie: "a=b"]), ScriptedResponse())
        try get("http://h.z/", [RetryPolicy(limit: 1, random: { 0 })])
        XCTAssertEqual(sent, [nil, "a=b"])
    }

    func testAResponseThatSetsACookieMayRedirectToTheSameURL() throws {
        transport.enqueue(
            ScriptedResponse(status: 302, headers: [.setCookie: "a=b", .location: "/"]), ScriptedResponse(body: "in"))
        try get("http://h.z/")
        XCTAssertEqual(sent, [nil, "a=b"])
    }
}
