import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests the order of the trace and the output where both go to one place, such as a terminal.
final class TraceOrderTests: CommandLineTestCase {
    /// Sends a request, and reads what it writes only when the trace of the head has filled the pipe.
    private func text(_ words: [String], of change: (ScriptedResponse) -> ScriptedResponse = { $0 }) throws -> String {
        var headers = HTTPFields()
        let name = try XCTUnwrap(HTTPField.Name("x-request-id"))
        for _ in 0..<1000 { headers.append(HTTPField(name: name, value: String(repeating: "a", count: 100))) }
        headers[.server] = "end"
        server.enqueue(change(ScriptedResponse(headers: headers, body: "the content\n")))
        let run = try FreshetProcess(["get", "-v", server.url] + words, redirection: "2>&1")
        waitUntil("the pipe is full") {
            var count: Int32 = 0
            return ioctl(run.output.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &count) == 0 && count > 60_000
        }
        return run.result().text
    }

    private func assertOrder(_ parts: String..., in text: String, line: UInt = #line) {
        XCTAssertTrue(text.hasPrefix("* attempt 1"), "begins with \(text.prefix(40))", line: line)
        var rest = text[...]
        for part in parts {
            guard let range = rest.range(of: part, options: .caseInsensitive) else {
                return XCTFail("\(part) is not in its place", line: line)
            }
            rest = rest[range.upperBound...]
        }
    }

    func testTheBodyStandsBetweenTheLinesOfItsFirstByteAndItsEnd() throws {
        for words in [[], ["-o", "-"], ["-o", "/dev/stderr"]] {
            let text = try text(words) {
                var response = $0
                response.trailers = [.eTag: "b"]
                return response
            }
            assertOrder(
                "< server: end\n", "* first byte of the body\nthe content\n< etag: b\n* head after", in: text)
        }
    }

    func testTheHeadOfTheOutputStandsAfterThatOfTheTrace() throws {
        assertOrder("< server: end", "HTTP/1.1 200 OK", "the content\n* head after", in: try text(["-i"]))
    }

    func testAPartOfABodyStandsBeforeItsError() throws {
        assertOrder("* first byte of the body\nthe conte", "freshet: ", in: try text([]) { $0.truncated(after: 9) })
    }

    func testTheTraceEndsAlsoIfTheBodyGoesToAFile() throws {
        let path = try temporaryDirectory().appendingPathComponent("file").path
        for words in [[], ["-i"], ["--resume"]] {
            assertOrder("< server: end", "* head after", "* of that", in: try text(["-o", path] + words))
        }
    }
}
