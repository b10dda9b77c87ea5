import XCTest

@testable import FreshetSignIn

final class LoopbackPageTests: XCTestCase {
    private let calls = NSCountedSet()

    private func status(_ line: String, _ fields: String..., result: CallbackResult = .accepted) -> Int? {
        let head = ([line] + (fields.isEmpty ? ["Host: 127.0.0.1:7"] : fields)).joined(separator: "\r\n")
        let page = LoopbackPage(for: Array(head.utf8), at: .init(), "127.0.0.1:7") { _ in
            calls.add("call")
            return result
        }
        let text = String(decoding: page.bytes, as: UTF8.self)
        XCTAssertTrue(text.contains("Content-Security-Policy: default-src 'none'\r\n"), text)
        XCTAssertTrue(text.contains("Connection: close\r\n"), text)
        XCTAssertFalse(text.contains("<script>"), text)
        XCTAssertEqual(text.contains("Content-Length"), !text.hasPrefix("HTTP/1.1 204"), text)
        return Int(text.split(separator: " ")[1])
    }

    private var count: Int { calls.count(for: "call") }

    /// freee/freee-mcp PR#448: the page contained the description of the error.
    func testOnlyAGetOfTheCallbackIsACallback() {
        XCTAssertEqual(status("GET /callback?code=1&x=<script>alert(1)</script> HTTP/1.1"), 200)
        XCTAssertEqual(status("GET /callback?code=1 HTTP/1.1", result: .ignored), 400)
        XCTAssertEqual(status("GET /callback?error=1 HTTP/1.1", result: .refused), 400)
        XCTAssertEqual(count, 3)
        for (line, expected) in [
            ("GET /favicon.ico HTTP/1.1", 404), ("GET / HTTP/1.1", 404), ("GET /callback/ HTTP/1.1", 404),
            ("HEAD /callback?code=1 HTTP/1.1", 405), ("POST /callback?code=1 HTTP/1.1", 405), ("GET", 400),
            ("", 400), ("GET http://127.0.0.1:7/callback HTTP/1.1", 400), ("GET /callback HTTP/2", 400),
        ] {
            XCTAssertEqual(status(line), expected, line)
        }
        XCTAssertEqual(count, 3)
    }

    func testTheResponseToAHEADHasTheHeadOfTheResponseToAGETAndNoBody() {
        let page = LoopbackPage.status(405, "Method Not Allowed", head: "Allow: GET\r\n")
        let whole = String(decoding: page.bytes, as: UTF8.self)
        let head = String(decoding: page.bytesWithoutBody, as: UTF8.self)
        XCTAssertTrue(whole.hasPrefix(head))
        XCTAssertTrue(head.hasSuffix("Allow: GET\r\n\r\n"), head)
        XCTAssertTrue(head.contains("Content-Length: \(whole.utf8.count - head.utf8.count)\r\n"), head)
    }

    /// streamlit/streamlit PR#15589: a prefetch used up the code.
    func testAPrefetchAndAnotherHostDoNotConsumeTheCallback() {
        let line = "GET /callback?code=1 HTTP/1.1"
        XCTAssertEqual(status(line, "Host: 127.0.0.1:7", "Sec-Purpose: prefetch;prerender"), 204)
        XCTAssertEqual(status(line, "Host: 127.0.0.1:7", "Purpose: prefetch"), 204)
        for fields in [["Host: evil.example"], ["Host: 127.0.0.1:8"], ["X: y"]] {
            XCTAssertEqual(status(line, fields[0]), 400)
        }
        XCTAssertEqual(count, 0)
    }
}
