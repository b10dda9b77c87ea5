import HTTPTypes
import XCTest

@testable import FreshetHTTP

final class RedirectPolicyTests: XCTestCase {
    private func next(
        _ status: Int, _ method: HTTPRequest.Method, from url: String = "http://a/x", to location: String = "/y",
        headers: HTTPFields = [:]
    ) throws -> Request? {
        var policy = RedirectPolicy(limit: 10, allowsDowngrade: false)
        return try policy.next(
            after: Request(method, url, headers: headers, body: .text("body")),
            respondedWith: HTTPResponse(status: .init(code: status), headerFields: [.location: location]))
    }

    func testTheMethodChangesAsInTheFetchStandard() throws {
        for (status, method, result) in [
            (301, .post, .get), (302, .post, .get), (303, .post, .get), (303, .put, .get), (303, .head, .head),
            (301, .put, .put), (302, .delete, .delete), (307, .post, .post), (308, .post, .post),
        ] as [(Int, HTTPRequest.Method, HTTPRequest.Method)] {
            let next = try XCTUnwrap(try next(status, method), "\(status) \(method)")
            XCTAssertEqual(next.method, result, "\(status) \(method)")
            XCTAssertEqual(next.body == .empty, result == .get, "\(status) \(method)")
        }
    }

    func testADroppedBodyDropsItsContentFields() throws {
        let next = try next(
            303, .post, headers: [.contentType: "text/plain", .expect: "100-continue", .accept: "text/html"])
        XCTAssertEqual(next?.headers, [.accept: "text/html"])
    }

    func testADroppedBodyDropsItsDigests() throws {
        var headers: HTTPFields = [.lastModified: "x", .contentRange: "bytes 0-3/4", .accept: "text/html"]
        for name in ["Digest", "Content-Digest", "Repr-Digest", "Content-MD5"] { headers[HTTPField.Name(name)!] = "x" }
        for status in [301, 302, 303] {
            XCTAssertEqual(try next(status, .post, headers: headers)?.headers, [.accept: "text/html"])
        }
        XCTAssertEqual(try next(307, .post, headers: headers)?.headers, headers, "the body is sent again")
    }

    func testA303DropsTheBodyOfAGet() throws {
        let sent = try XCTUnwrap(try next(303, .get, headers: [.contentType: "text/plain"]))
        XCTAssertEqual([sent.body.isEmpty, sent.headers.isEmpty], [true, true])
        let kept = try XCTUnwrap(try next(302, .get, headers: [.contentType: "text/plain"]))
        XCTAssertEqual([kept.body.isEmpty, kept.headers.isEmpty], [false, false])
    }

    func testCredentialsAndTheHostFieldAreNotSentToAnotherOrigin() throws {
        let host = HTTPField.Name("Host")!
        let headers: HTTPFields = [.authorization: "secret", .cookie: "secret", host: "c", .accept: "text/html"]
        for elsewhere in ["http://b/", "https://a/", "http://a:81/", "//b/"] {
            XCTAssertEqual(try next(302, .get, to: elsewhere, headers: headers)?.headers, [.accept: "text/html"])
        }
        XCTAssertEqual(try next(302, .get, to: "http://a/other", headers: headers)?.headers, headers)
    }

    func testARedirectIsJudgedByTheAddressThatAnInterceptorChose() throws {
        var policy = RedirectPolicy(limit: 10, allowsDowngrade: false)
        let request = try Request(.get, "http://service/x", headers: [.authorization: "secret"])
        let node = try RequestURL("https://node/base/x")
        let next = try policy.next(after: request, sentTo: node, respondedWith: found("there"))
        XCTAssertEqual(next?.url.absoluteString, "https://node/base/there")
        XCTAssertEqual(next?.headers[.authorization], "secret")
        let elsewhere = try policy.next(after: request, sentTo: node, respondedWith: found("https://other/"))
        XCTAssertNil(try XCTUnwrap(elsewhere).headers[.authorization])
        XCTAssertThrowsError(try policy.next(after: request, sentTo: node, respondedWith: found("http://plain/"))) {
            XCTAssertEqual(($0 as? HTTPClientError)?.code, .forbiddenRedirect)
        }
    }

    func testALocationThatIsNotUTF8KeepsItsBytes() throws {
        var policy = RedirectPolicy(limit: 10, allowsDowngrade: false)
        for (bytes, path) in [(Array("/\u{FC}".utf8), "/%C3%BC"), ([47, 0xFC, 47, 0xC3, 0xBC], "/%FC/%C3%BC")] {
            var head = found("")
            head.headerFields = HTTPFields([HTTPField(name: .location, value: bytes)])
            let next = try policy.next(after: Request(.get, "http://a/x"), respondedWith: head)
            XCTAssertEqual(next?.url.path, path)
        }
    }

    func testASpaceInALocationIsEncoded() throws {
        XCTAssertEqual(try next(302, .get, to: "/a b?c d")?.url.absoluteString, "http://a/a%20b?c%20d")
    }

    func testEqualLocationFieldsCountAsOneAndDifferentOnesAreForbidden() throws {
        let status = HTTPResponse.Status.found
        func next(_ locations: String...) throws -> Request? {
            var policy = RedirectPolicy(limit: 10, allowsDowngrade: false)
            var head = HTTPResponse(status: status)
            for location in locations { head.headerFields.append(HTTPField(name: .location, value: location)) }
            return try policy.next(after: Request(.get, "http://a/"), respondedWith: head)
        }
        XCTAssertEqual(try next("/b,c", "/b,c")?.url.absoluteString, "http://a/b,c")
        XCTAssertThrowsError(try next("/b", "/c")) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .forbiddenRedirect)
        }
    }

    func testARedirectStatusWithoutALocationIsDelivered() throws {
        var policy = RedirectPolicy(limit: 10, allowsDowngrade: false)
        XCTAssertNil(try policy.next(after: Request(.get, "http://a/"), respondedWith: HTTPResponse(status: .found)))
        XCTAssertNil(try next(304, .get))
        XCTAssertNil(try next(300, .get))
    }

    func testOtherSchemesAndADowngradeToHTTPAreForbidden() {
        for (from, to) in [
            ("http://a/", "ftp://b/"), ("http://a/", "file:///etc/passwd"), ("https://a/", "http://a/"),
            ("http://a/", "http://user:secret@b/"),
        ] {
            XCTAssertThrowsError(try next(302, .get, from: from, to: to)) { error in
                XCTAssertEqual((error as? HTTPClientError)?.code, .forbiddenRedirect)
                XCTAssertFalse("\(error)".contains("secret"))
            }
        }
    }

    func testOneRedirectOverTheLimitIsAnError() throws {
        var policy = RedirectPolicy(limit: 2, allowsDowngrade: false)
        var request = try Request(.get, "http://a/0")
        for hop in 1...2 {
            request = try XCTUnwrap(try policy.next(after: request, respondedWith: found("/\(hop)")))
        }
        XCTAssertThrowsError(try policy.next(after: request, respondedWith: found("/3"))) { error in
            XCTAssertEqual((error as? HTTPClientError)?.code, .tooManyRedirects)
        }
    }

    func testARedirectToTheSameAddressIsFollowedUntilTheLimit() throws {
        var policy = RedirectPolicy(limit: 10, allowsDowngrade: false)
        let request = try Request(.get, "http://a/")
        for _ in 1...10 { XCTAssertNotNil(try policy.next(after: request, respondedWith: found("/"))) }
        XCTAssertThrowsError(try policy.next(after: request, respondedWith: found("/")))
    }

    private func found(_ location: String) -> HTTPResponse {
        HTTPResponse(status: .found, headerFields: [.location: location])
    }
}
