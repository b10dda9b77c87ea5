import Foundation
import Freshet
import FreshetHTTPTesting
import XCTest

/// Tests `freshet bench --streams`.
final class BenchStreamsTests: CommandLineTestCase {
    private static let stream = ScriptedResponse(headers: [.contentType: "text/event-stream"], body: "data: a\n\n")

    private func bench(_ arguments: String...) throws -> FreshetResult {
        try FreshetProcess(["bench", server.url] + arguments).result()
    }

    func testAStreamIsHeldForTheDuration() throws {
        let response = ScriptedResponse(
            headers: [.contentType: "text/event-stream"], pieces: [Array("data: a\n\n".utf8)]
        ).pausing(after: 3, until: Barrier())
        server.route(.get, "/") { _ in response }
        let result = try bench("--streams", "12", "--duration", "0.1", "--concurrency", "5", "--json")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        let line = try XCTUnwrap(result.objects.first)
        XCTAssertEqual(
            Set(line.keys), ["name", "streams", "open_s", "rss_bytes_per_stream", "cpu_s", "errors"])
        XCTAssertEqual(line["streams"] as? Int, 12)
        XCTAssertEqual(line["errors"] as? Int, 0)
        XCTAssertEqual(server.acceptedConnections, 12)
        XCTAssertEqual(server.requests.first?.headers[.accept], "text/event-stream")
        waitUntil("they are let go of") { self.server.abandoned.count == 12 }
    }

    func testAStreamThatEndsOrIsRefusedIsAnError() throws {
        let barrier = Barrier()
        server.enqueue(
            ScriptedResponse(status: .notFound),
            ScriptedResponse(headers: [.contentType: "text/event-stream"], body: "data: a\n\n"), .close)
        server.route(.get, "/") { _ in Self.stream.pausing(after: 3, until: barrier) }
        let result = try bench("--streams", "4", "--duration", "0.1", "--concurrency", "1")
        XCTAssertEqual(result.status, 1)
        for kind in ["status 404", "ended", "connection_lost"] {
            XCTAssertTrue(result.text.contains("\(kind): 1, for example: "), "\(kind) in \(result.text)")
        }
        XCTAssertTrue(result.errorOutput.hasPrefix("freshet: 3 of 4 streams failed"), result.errorOutput)
    }

    func testAResponseThatIsNotAStreamIsReportedWithItsType() throws {
        server.route(.get, "/") { _ in .json("{}") }
        let result = try bench("--streams", "1", "--duration", "0.1")
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(
            result.errorOutput.contains(
                "the server responded with the type application/json, which is no event stream"), result.errorOutput)
    }

    func testAnOpenResponseOfAnotherTypeIsNoStream() throws {
        let barrier = Barrier()
        server.route(.get, "/") { _ in ScriptedResponse(body: "data: a\n\n").pausing(after: 3, until: barrier) }
        let result = try bench("--streams", "3", "--duration", "0.1")
        XCTAssertEqual(result.status, 1, result.text)
        XCTAssertTrue(result.errorOutput.contains("no type, which is no event stream"), result.errorOutput)
    }

    func testABenchmarkOfStreamsWritesAReportToo() throws {
        let barrier = Barrier()
        server.route(.get, "/") { _ in Self.stream.pausing(after: 3, until: barrier) }
        let page = try temporaryDirectory().appendingPathComponent("page.html").path
        let earlier = try temporaryFile(#"{"name": "peer", "open_s": 2}"#)
        let result = try bench(
            "--streams", "7", "--duration", "0.2", "--report", page, "--compare", earlier, "--json")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertEqual(result.objects.first?["streams"] as? Int, 7)
        let html = try String(contentsOfFile: page, encoding: .utf8)
        XCTAssertTrue(html.hasSuffix("</html>\n"))
        for text in ["7 open streams", "None: all 7 streams", "<b>peer"] { XCTAssertTrue(html.contains(text), text) }
    }
}
