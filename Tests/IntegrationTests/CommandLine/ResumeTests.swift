import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests that `get --resume` takes a 416 about the whole file for its end, and that a deleted part is noted.
final class ResumeTests: CommandLineTestCase {
    private let tag: HTTPFields = [.eTag: "\"v1\""]

    /// All data of a body of unknown length, and the connection ends without the last chunk.
    private var unended: ScriptedResponse {
        .raw(Array("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n".utf8))
    }

    private var complete: ScriptedResponse {
        var response = ScriptedResponse(status: .rangeNotSatisfiable, headers: tag, body: "none")
        response.headers[.contentRange] = "bytes */5"
        return response
    }

    func testACompleteDownloadIsASuccess() throws {
        let file = try temporaryDirectory().appendingPathComponent("file").path
        server.enqueue(unended, complete)
        XCTAssertEqual(try freshet("get", server.url, "-o", file, "--resume").status, 1)
        let result = try freshet("get", server.url, "-o", file, "--resume")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.errorOutput, "")
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "hello")
    }

    func testADownloadThatARetryFindsCompleteIsASuccess() throws {
        let file = try temporaryDirectory().appendingPathComponent("file").path
        for words in [[], ["-f"]] {
            server.enqueue(unended, complete)
            let result = try freshet(["get", server.url, "-o", file, "--resume", "--retry", "2"] + words)
            XCTAssertEqual(result.status, 0, result.errorOutput)
            XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "hello")
        }
    }

    func testAPartThatIsDeletedIsNotedWithTheOptionThatKeepsIt() throws {
        let file = try temporaryDirectory().appendingPathComponent("file").path
        let note = "note: what came is deleted; --resume keeps it, and goes on from there the next time"
        let body = ScriptedResponse(body: "hello world")
        let damaged = ScriptedResponse(headers: [.contentEncoding: "gzip"], body: "hello world")
        let missing = ScriptedResponse(status: .notFound, body: "hello world")
        for (response, isNoted) in [
            (body.truncated(after: 5), true), (body.reset(after: 5), true), (unended, true),
            (body.truncated(after: 0), false), (damaged, false), (missing.truncated(after: 5), false),
        ] {
            server.enqueue(response)
            let result = try freshet("get", server.url, "-o", file)
            XCTAssertEqual(result.status, 1, result.errorOutput)
            XCTAssertEqual(result.errorOutput.contains(note), isNoted, "\(response): \(result.errorOutput)")
        }
        server.enqueue(body.truncated(after: 5))
        XCTAssertFalse(try freshet("get", server.url, "-d", "a", "-o", file).errorOutput.contains(note))
    }
}
