import Freshet
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests each error code that a request can have, and its message.
final class ErrorCodeTests: CommandLineTestCase {
    private func expect(
        _ code: String, _ parts: String..., from arguments: [String], environment: [String: String] = [:],
        line: UInt = #line
    ) throws {
        let result = try FreshetProcess(["get"] + arguments, environment: environment).result()
        XCTAssertEqual(result.status, 1, result.errorOutput, line: line)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: \(code): "), result.errorOutput, line: line)
        for part in parts { XCTAssertTrue(result.errorOutput.contains(part), result.errorOutput, line: line) }
        XCTAssertEqual(result.errorOutput.split(separator: "\n").count, 1, result.errorOutput, line: line)
    }

    func testAnUnknownHostFailsWithResolve() throws {
        try expect("resolve", "http://nowhere.invalid", "with --resolve", from: ["http://nowhere.invalid/"])
    }

    func testAClosedPortFailsWithConnect() throws {
        try expect("connect", "http://127.0.0.1:1", from: ["http://127.0.0.1:1/"])
    }

    func testALateResponseFailsWithTimeout() throws {
        server.route { _ in .silence }
        try expect("timeout", server.url, "with --timeout", from: [server.url, "--timeout", "0.1"])
    }

    func testAConnectionThatEndsEarlyFailsWithConnectionLost() throws {
        server.route { $0.path == "/close" ? .close : ScriptedResponse(body: "12345").reset(after: 2) }
        try expect("connection_lost", server.url, from: ["\(server.url)/close"])
        try expect("connection_lost", server.url, from: ["\(server.url)/reset"])
    }

    func testAResponseThatIsNotHTTPFailsWithProtocol() throws {
        server.route { _ in .raw("220 mail.example.com ESMTP\r\n") }
        try expect("protocol", server.url, from: [server.url])
    }

    func testAHeadThatIsTooLargeFailsWithTooLarge() throws {
        server.route { _ in ScriptedResponse(headers: [.server: String(repeating: "a", count: 300_000)]) }
        try expect("too_large", server.url, "ask for a response with less in its head", from: [server.url])
    }

    func testEndlessRedirectsFailWithTooManyRedirects() throws {
        server.route { request in ScriptedResponse(status: .found, headers: [.location: request.target + "x"]) }
        try expect("too_many_redirects", server.url, from: [server.url])
        XCTAssertEqual(server.requestCount, 11)
    }

    func testARedirectToAnotherSchemeFailsWithForbiddenRedirect() throws {
        server.route { _ in ScriptedResponse(status: .found, headers: [.location: "ftp://h/"]) }
        try expect("forbidden_redirect", server.url, from: [server.url])
    }

    func testALineOfARedirectThatIsNotFollowedHasItsStatusAndFields() throws {
        server.route { request in
            ScriptedResponse(
                status: .found, headers: [.location: request.path == "/ftp" ? "ftp://h/" : request.target + "x"])
        }
        let run = try freshet("run", input: ["/ftp", "/"].map { "{\"url\": \"\(server.url)\($0)\"}\n" }.joined())
        XCTAssertEqual(run.status, 1)
        XCTAssertEqual(run.objects.count, 2)
        for line in run.objects {
            XCTAssertEqual(line["status"] as? Int, 302)
            XCTAssertNotNil((line["headers"] as? [String: Any])?["location"])
            XCTAssertTrue(line["body"] is NSNull)
            XCTAssertNotNil((line["error"] as? [String: Any])?["code"])
        }
    }

    func testABodyThatCannotBeDecodedFailsWithDecoding() throws {
        server.route { _ in ScriptedResponse(headers: [.contentEncoding: "gzip"], body: "no gzip at all") }
        try expect("decoding", server.url, from: [server.url])
    }

    func testTwoHostFieldsFailWithInvalidRequest() throws {
        try expect("invalid_request", "two Host fields", from: [server.url, "-H", "Host: a", "-H", "Host: b"])
        XCTAssertEqual(server.requestCount, 0)
    }

    func testAnInvalidAddressIsNamedWithoutItsQuery() throws {
        try expect("invalid_request", "ftp://x/: the URL's scheme", from: ["ftp://x/?key=s3cret"])
        XCTAssertFalse(try freshet("get", "ftp://x/?key=s3cret").errorOutput.contains("s3cret"))
    }

    func testHTTP2WithoutTLSFailsWithInvalidRequest() throws {
        try expect("invalid_request", "https only", from: [server.url, "--http2"])
        XCTAssertEqual(server.requestCount, 0)
    }
}
