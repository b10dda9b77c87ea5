import FreshetCore
import FreshetEvents
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests streams behind redirects. Sources: the Fetch standard's HTTP-redirect fetch, RFC 9110 section 15.4.
final class EventStreamRedirectTests: EventStreamTestCase {
    private func redirect(_ status: Int, to location: String?) -> ScriptedResponse {
        ScriptedResponse(status: .init(code: status), headers: location.map { [.location: $0] } ?? [:])
    }

    func testRedirectsAreFollowed() throws {
        for status in [301, 302, 303, 307, 308] {
            server.enqueue(redirect(status, to: "/there?x=1"), .events("id: 1\ndata: a\n\n"), .noMore)
            let log = try follow().end()
            XCTAssertNil(log.error)
            XCTAssertEqual(log.data, ["a"], "\(status)")
            XCTAssertEqual(server.requests.suffix(3).map(\.target), ["/events", "/there?x=1", "/events"])
            XCTAssertEqual(lastEventIDs.suffix(3), [nil, nil, "1"])
        }
    }

    func testARedirectResendsTheBodyWhereItKeepsTheMethod() throws {
        for (status, method) in [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")] {
            server.enqueue(
                redirect(status, to: "/there"), .events("data: a\n\n"), redirect(status, to: "/there"), .noMore)
            _ = try follow(Request(.post, server.url, body: .text("q"))).end()
            let requests = server.requests.suffix(4).map { "\($0.method.rawValue) \($0.text)" }
            let second = method == "GET" ? "GET " : "POST q"
            XCTAssertEqual(requests, ["POST q", second, "POST q", second], "\(status)")
        }
    }

    func testTheLastEventIDIsSentOnEachRedirect() throws {
        server.enqueue(
            redirect(307, to: "/b"), redirect(307, to: "/c"), .events("id: 2\n\n"), redirect(307, to: "/d"), .noMore)
        try follow(after: "1").end()
        XCTAssertEqual(server.requests.map(\.target), ["/events", "/b", "/c", "/events", "/d"])
        XCTAssertEqual(lastEventIDs, ["1", "1", "1", "2", "2"])
    }

    func testAnInvalidRedirectIsAFinalError() throws {
        for (location, code) in [
            (nil, HTTPClientError.Code.status), ("", .tooManyRedirects), ("/events", .tooManyRedirects),
            ("ftp://a/", .forbiddenRedirect), ("http://", .forbiddenRedirect),
        ] {
            for status in [301, 307] {
                let hops = code == .tooManyRedirects ? 11 : 1
                for _ in 0..<hops { server.enqueue(redirect(status, to: location)) }
                let log = try follow().end()
                XCTAssertEqual(log.error?.code, code, "\(status) to \(location ?? "nowhere")")
                XCTAssertEqual(log.error?.origin, server.url)
            }
        }
        XCTAssertEqual(server.requestCount, 50, "nothing is asked again")
    }

    func testACredentialIsNotSentToAnotherOrigin() throws {
        let other = try ScriptedServer(on: loop)
        defer { other.close() }
        server.enqueue(redirect(307, to: other.url + "/x"), redirect(307, to: other.url + "/x"))
        other.enqueue(.events("data: a\n\n"), .noMore)
        _ = try follow(Request(.get, server.url, headers: [.authorization: "Bearer t"])).end()
        XCTAssertEqual(server.requests.map(\.bearerToken), ["t", "t"])
        XCTAssertEqual(other.requests.map(\.bearerToken), [nil, nil])
    }
}
