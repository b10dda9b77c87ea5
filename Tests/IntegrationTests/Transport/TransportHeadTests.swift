import Foundation
import FreshetHTTP
import FreshetHTTPTesting
import HTTPTypes
import XCTest

@testable import FreshetCurl

/// Tests the head of a request byte for byte.
final class TransportHeadTests: TransportOnScriptedServerTestCase {
    private let sender = "User-Agent: freshet/\(HTTPClient.version)\(HeadsAsTargets.isActive ? " HTTP/1.1" : "")"
    private let accept = "Accept: */*"
    private var host: String { "Host: " + server.url.dropFirst("http://".count) }
    // A test has one transport, so that one handle serves all its requests.
    private var shared: CurlTransport!

    override func setUpWithError() throws {
        try super.setUpWithError()
        shared = transport()
    }

    override func tearDown() {
        shared = nil
        super.tearDown()
    }

    private var codings: String { "Accept-Encoding: " + (server.requests.last?.headers[.acceptEncoding] ?? "?") }

    /// The lines of the head that the server receives for `request`.
    private func head(_ request: Request, at line: UInt = #line) -> [String] {
        server.enqueue(ScriptedResponse(body: "ok"))
        XCTAssertNil(outcome(shared, request).error, line: line)
        let head = String(decoding: server.requests.last?.rawHead ?? [], as: UTF8.self)
        XCTAssertTrue(head.hasSuffix("\r\n\r\n"), head, line: line)
        return head.dropLast(2).components(separatedBy: "\r\n")
    }

    /// Checks the lines of the head of `request`. Their order is free if libcurl writes them.
    private func check(_ request: Request, _ expected: @autoclosure () -> [String], at line: UInt = #line) {
        let lines = head(request, at: line)
        let expected = expected()
        XCTAssertEqual(lines.first, expected.first, line: line)
        let isExact = HeadsAsTargets.isActive && !request.headers.contains(.userAgent)
        XCTAssertTrue(isExact ? lines == expected : lines.sorted() == expected.sorted(), "\(lines)", line: line)
    }

    private func request(
        _ method: HTTPRequest.Method = .get, _ target: String = "/x", _ headers: HTTPFields = [:],
        body: RequestBody = .empty
    ) throws -> Request {
        try Request(method, server.url + target, headers: headers, body: body)
    }

    func testAHeadContainsTheTargetTheHostTheCodingsAndTheUserAgent() throws {
        check(
            try request(.get, "/a%20b?c=%0D%0A&d"),
            ["GET /a%20b?c=%0D%0A&d HTTP/1.1", host, codings, accept, sender])
        check(
            try request(.delete, "/x", [.authorization: "Bearer t", HTTPField.Name("X-Empty")!: ""]),
            ["DELETE /x HTTP/1.1", host, codings, accept, "Authorization: Bearer t", "X-Empty:", sender])
        XCTAssertTrue(codings.contains("gzip"))
    }

    func testFieldsOfTheRequestReplaceTheDefaults() throws {
        let fields: HTTPFields = [.accept: "text/html", HTTPField.Name("Host")!: "b.example", .cookie: "a=b"]
        check(
            try request(.get, "/x", fields),
            ["GET /x HTTP/1.1", codings, "Accept: text/html", "Host: b.example", "Cookie: a=b", sender])
        check(
            try request(.get, "/x", [.acceptEncoding: "identity"]),
            ["GET /x HTTP/1.1", host, accept, "Accept-Encoding: identity", sender])
        // The handle keeps nothing of the last request.
        check(try request(), ["GET /x HTTP/1.1", host, codings, accept, sender])
    }

    func testARequestForARangeAsksForNoCompression() throws {
        let range = "Range: bytes=0-99"
        let identity = "Accept-Encoding: identity"
        check(
            try request(.get, "/x", [.range: "bytes=0-99"]),
            ["GET /x HTTP/1.1", host, identity, accept, range, sender])
        check(
            try request(.get, "/x", [.range: "bytes=0-99", .userAgent: "mine/2"]),
            ["GET /x HTTP/1.1", host, identity, accept, range, "User-Agent: mine/2"])
        check(
            try request(.get, "/x", [.range: "bytes=0-99", .acceptEncoding: "gzip"]),
            ["GET /x HTTP/1.1", host, accept, range, "Accept-Encoding: gzip", sender])
        check(try request(), ["GET /x HTTP/1.1", host, codings, accept, sender])
    }

    func testAPartOfACompressedBodyIsDeliveredAsItIs() throws {
        server.enqueue(
            ScriptedResponse(
                status: .partialContent, headers: [.contentEncoding: "gzip", .contentRange: "bytes 5-6/99"], body: "ab")
        )
        let outcome = outcome(shared, try request(.get, "/x", [.range: "bytes=5-6"]))
        XCTAssertNil(outcome.error)
        XCTAssertEqual(outcome.text, "ab")
        XCTAssertEqual(outcome.head?.headerFields[.contentEncoding], "gzip")
    }

    func testAUserAgentOfTheRequestReplacesTheDefault() throws {
        let own: HTTPFields = [.userAgent: "mine/2", .accept: "text/html", HTTPField.Name("X-A")!: "1"]
        check(
            try request(.get, "/y", own),
            ["GET /y HTTP/1.1", host, codings, "Accept: text/html", "User-Agent: mine/2", "X-A: 1"])
        check(try request(), ["GET /x HTTP/1.1", host, codings, accept, sender])
    }

    /// `HTTPFields` splits a cookie field that is set into one field per cookie. Source: RFC 6265 section 5.4.
    func testAllCookiesAreSentInOneField() throws {
        var cookies = try request()
        cookies.headers[.cookie] = "a=1; b=2"
        cookies.headers[HTTPField.Name("X-A")!] = "1"
        cookies.headers.append(HTTPField(name: .cookie, value: "c=3"))
        check(
            cookies,
            ["GET /x HTTP/1.1", host, codings, accept, "Cookie: a=1; b=2; c=3", "X-A: 1", sender])
        cookies.headers[.userAgent] = "mine/2"
        check(
            cookies,
            [
                "GET /x HTTP/1.1", host, codings, accept, "Cookie: a=1; b=2; c=3", "X-A: 1", "User-Agent: mine/2",
            ])
    }

    func testAnEmptyAcceptOrUserAgentOfTheRequestLeavesTheFieldOut() throws {
        check(
            try request(.get, "/x", [.accept: "", HTTPField.Name("X-A")!: ""]),
            ["GET /x HTTP/1.1", host, codings, "X-A:", sender])
        check(try request(.get, "/x", [.userAgent: ""]), ["GET /x HTTP/1.1", host, codings, accept])
        check(try request(.get, "/x", [.userAgent: "", .accept: ""]), ["GET /x HTTP/1.1", host, codings])
        check(try request(), ["GET /x HTTP/1.1", host, codings, accept, sender])
    }

    func testTheFieldsOfABodyFollowTheOthers() throws {
        let plain: HTTPFields = [HTTPField.Name("X-A")!: "1", .contentType: "text/csv", .contentLength: "3"]
        check(
            try request(.post, "/x", plain, body: .bytes(Array("a,b".utf8))),
            [
                "POST /x HTTP/1.1", host, codings, accept, "X-A: 1", sender, "Content-Type: text/csv",
                "Content-Length: 3",
            ])
        XCTAssertEqual(server.requests.last?.text, "a,b")
        check(try request(.put), ["PUT /x HTTP/1.1", host, codings, accept, sender, "Content-Length: 0"])
        check(
            try request(.put, "/x", [.userAgent: "mine"], body: .text("a")),
            [
                "PUT /x HTTP/1.1", host, codings, accept, "User-Agent: mine",
                "Content-Type: text/plain; charset=utf-8", "Content-Length: 1",
            ])
    }

    func testAResponseOfHTTP10DoesNotChangeTheNextRequest() throws {
        server.enqueue(.raw("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"))
        XCTAssertNil(outcome(shared, try request()).error)
        check(try request(), ["GET /x HTTP/1.1", host, codings, accept, sender])
    }

    func testAHeadOfAnyLengthIsSentWhole() throws {
        for count in [200, 350, 380, 400, 500, 512, 1000, 5000, 60_000] {
            let value = String(repeating: "v", count: count)
            check(
                try request(.get, "/x", [HTTPField.Name("X-Long")!: value]),
                ["GET /x HTTP/1.1", host, codings, accept, "X-Long: \(value)", sender])
        }
    }

    /// libcurl has one buffer for the head and a small body.
    func testTheLongestHeadIsSentWithASmallBody() throws {
        var configuration = ScriptedServer.Configuration()
        configuration.maximumHeadSize = 1 << 20
        let server = try ScriptedServer(on: loop, configuration: configuration)
        defer { server.close() }
        server.route { _ in ScriptedResponse(body: "ok") }
        let body = String(repeating: "b", count: 65_535)
        let fieldLength = "X-Long-1: ".utf8.count + 2
        let names = (1...4).compactMap { HTTPField.Name("X-Long-\($0)") }
        for (headers, rest) in [
            (HTTPFields(), "POST".utf8.count + 1),
            ([.userAgent: "mine"], "POST".utf8.count + 1 + "User-Agent: mine\r\n".utf8.count),
        ] as [(HTTPFields, Int)] {
            let count = RequestHead.limit - fieldLength * names.count - rest
            let value = String(repeating: "v", count: count / names.count)
            let last = value + String(repeating: "v", count: count % names.count)
            var headers = headers
            for name in names { headers[name] = name == names.last ? last : value }
            let sent = try Request(.post, server.url, headers: headers, body: .text(body))
            XCTAssertEqual(outcome(shared, sent).text, "ok")
            XCTAssertEqual(server.requests.last?.text, body)
            for name in names { XCTAssertEqual(server.requests.last?.headers[name], headers[name]) }
            headers[names[0]] = value + "v"
            let refused = try Request(.post, server.url, headers: headers, body: .text(body))
            XCTAssertEqual(outcome(shared, refused).error?.code, .invalidRequest)
        }
        XCTAssertEqual(server.requestCount, 2)
    }

    func testAFieldThatLibcurlWouldDropIsRefused() throws {
        for sender in [nil, "mine"] {
            var request = try request(.get, "/x")
            request.headers[.userAgent] = sender
            request.headers[HTTPField.Name("X-Long")!] = String(repeating: "v", count: RequestHead.longestValue + 1)
            let error = try XCTUnwrap(outcome(shared, request).error)
            XCTAssertEqual(error.code, .invalidRequest)
            XCTAssertEqual(error.message, "the header X-Long is too long: 300001 bytes")
        }
    }
}
