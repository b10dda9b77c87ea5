import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// Tests that a redirect is the response where it is not to be followed.
final class NoLocationTests: CommandLineTestCase {
    private func redirect(_ status: Int = 302) {
        server.route(.get, "/a") { _ in
            ScriptedResponse(
                status: .init(code: status), headers: [.location: "/b", .setCookie: "sid=1"], body: "moved")
        }
        server.route(.get, "/b") { _ in ScriptedResponse(body: "there") }
    }

    func testGetWritesTheRedirectThatItDoesNotFollow() throws {
        redirect()
        let file = try temporaryDirectory().appendingPathComponent("file").path
        let head = try freshet("get", "-i", "--no-location", "\(server.url)/a")
        XCTAssertEqual(head.status, 0, head.errorOutput)
        XCTAssertEqual(head.errorOutput, "")
        XCTAssertTrue(head.text.hasPrefix("HTTP/1.1 302 "), head.text)
        XCTAssertTrue(head.text.lowercased().contains("\r\nlocation: /b\r\n"), head.text)
        XCTAssertTrue(head.text.lowercased().contains("\r\nset-cookie: sid=1\r\n"), head.text)
        XCTAssertTrue(head.text.hasSuffix("\r\n\r\nmoved"), head.text)
        for words in [["-o", file], ["-fo", file]] {
            let result = try freshet(["get", "--no-location", "\(server.url)/a"] + words)
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "moved")
        }
        XCTAssertEqual(server.requests.map(\.target), ["/a", "/a", "/a"])
    }

    func testTheLastOfTwoOptionsDecides() throws {
        redirect()
        XCTAssertEqual(try freshet("get", "-sL", "--no-location", "\(server.url)/a").text, "moved")
        XCTAssertEqual(try freshet("get", "--no-location", "-L", "\(server.url)/a").text, "there")
        XCTAssertEqual(try freshet("get", "--no-location", "--location", "\(server.url)/a").text, "there")
    }

    func testRunWritesTheRedirectInItsLine() throws {
        redirect()
        let line = "{\"url\": \"\(server.url)/a\"}\n"
        let result = try freshet("run", "--no-location", input: line)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.first?["status"] as? Int, 302)
        XCTAssertEqual((result.objects.first?["headers"] as? [String: Any])?["location"] as? String, "/b")
        XCTAssertEqual(try freshet("run", "-L", input: line).objects.first?["status"] as? Int, 200)
        XCTAssertEqual(server.requests.map(\.target), ["/a", "/a", "/b"])
    }

    /// Without the option it would be an error that such a body can't be sent again.
    func testABodyFromAPipeMayBeRedirected() throws {
        server.route(.put, "/a") { _ in ScriptedResponse(status: .temporaryRedirect, headers: [.location: "/b"]) }
        let body = String(repeating: "0123456789abcdef", count: 1 << 17)
        let result = try freshet("get", "--no-location", "-T", "-", "\(server.url)/a", input: body)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(server.requests.map(\.target), ["/a"])
    }

    func testAnEventStreamThatIsRedirectedFails() throws {
        redirect()
        let result = try freshet("events", "--no-location", "\(server.url)/a")
        XCTAssertNotEqual(result.status, 0)
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: status: "), result.errorOutput)
        XCTAssertEqual(server.requests.map(\.target), ["/a"])
    }
}
