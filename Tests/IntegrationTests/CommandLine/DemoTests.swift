import XCTest

final class DemoTests: CommandLineTestCase {
    func testAThousandRequestsGetResponsesThroughThreeExpiries() throws {
        let result = try freshet("demo")
        XCTAssertEqual(result.status, 0, result.text)
        XCTAssertEqual(result.errorOutput, "")
        let totals = try XCTUnwrap(result.lines.last)
        XCTAssertTrue(
            totals.hasPrefix(
                "1,000 requests, 1,000 responses, 0 lost, 3 expiries, 3 refreshes, 0 tokens refreshed twice, "),
            totals)
        let rows = ["token", "event stream", "/items/", "sent", "refused", "waiting", "replayed", "answered"]
        for row in rows { XCTAssertTrue(result.lines.contains { $0.hasPrefix(row) }, row) }
        XCTAssertEqual(result.lines.count { $0.hasPrefix("/items/") }, 9)
        for line in result.lines.dropLast() {
            XCTAssertLessThanOrEqual(line.count, 80, line)
            XCTAssertNotEqual(line.last, " ", line)
        }
        XCTAssertTrue(result.text.contains(", none missing; reconnected "), result.text)
        XCTAssertTrue(result.text.contains("event stream: ≈ event  ✗ ends with its token  ░ reconnects"), result.text)
        XCTAssertEqual(result.lines.filter { $0.hasPrefix("↻ ") }.count, 3)
        XCTAssertFalse(result.text.contains("\u{1B}"))
    }

    func testThePictureIsWrittenToAFile() throws {
        let file = try temporaryDirectory().appendingPathComponent("demo.svg").path
        let result = try freshet("demo", "--requests", "50", "--svg", file)
        XCTAssertEqual(result.lines.last?.hasPrefix("50 requests, "), true, result.text)
        let picture = try String(contentsOfFile: file, encoding: .utf8)
        XCTAssertTrue(picture.hasPrefix("<svg ") && picture.hasSuffix("</svg>\n"))
        for row in ["event stream", "/items/1 ", "refused", "answered", "50 requests, 50 responses, 0 lost"] {
            XCTAssertTrue(picture.contains(row), row)
        }
        XCTAssertEqual(try freshet("demo", "--requests", "1", "--svg", "-").lines.last, "</svg>")
    }

    func testAPictureThatCannotBeWrittenLeavesNoFile() throws {
        let directory = try temporaryDirectory()
        let file = directory.appendingPathComponent("demo.svg").path
        // The thread sanitizer maps a file that it writes to TMPDIR, and crashes if that is cut off.
        let result = try FreshetProcess(
            ["demo", "--requests", "1", "--svg", file], environment: ["TMPDIR": "/nonexistent"], fileSize: 0
        ).result()
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("File too large"), result.errorOutput)
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.path), [])
    }

    func testTheLegendFitsIntoANarrowTerminal() throws {
        let result = try freshet("demo", "--requests", "20", environment: ["COLUMNS": "60"])
        let lines = result.text.split(separator: "\n").filter { $0.contains("━ sent") || $0.contains("✓ answered") }
        XCTAssertEqual(lines.count, 2)
        for line in lines { XCTAssertLessThanOrEqual(line.count, 60, String(line)) }
    }

    func testTheTimeLinesFitIntoFortyColumns() throws {
        let result = try freshet("demo", "--requests", "20", environment: ["COLUMNS": "40"])
        let picture = result.lines.dropFirst().prefix { !$0.hasPrefix("↻ 1") }
        XCTAssertTrue(picture.contains { $0.hasPrefix("/items/") } && picture.contains { $0.hasPrefix("answered") })
        for line in picture { XCTAssertLessThanOrEqual(line.count, 40, line) }
        XCTAssertTrue(picture.contains { $0.hasSuffix("ends with its token") || $0.hasSuffix("reconnects") })
    }

    func testFewerRequestsThanExpiriesGetResponses() throws {
        for count in 1...5 {
            let result = try freshet("demo", "--requests", String(count))
            XCTAssertEqual(result.status, 0, result.text)
            XCTAssertTrue(
                result.lines.last?.contains(
                    "\(count) response\(count == 1 ? "" : "s"), 0 lost, "
                        + "\(count == 2 ? "1 expiry, 1 refresh, " : "\(min(3, count - 1)) expiries, ")") ?? false,
                result.text)
            XCTAssertTrue(
                result.text.contains("the token expires \(count == 2 ? "1 time." : "\(min(3, count - 1)) times.")"),
                result.text)
        }
    }

    func testTheDemoRunsWithFewOpenFiles() throws {
        let result = try freshet(withOpenFiles: 64, "demo", "--requests", "300")
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(result.text.contains("over at most 12 connections"), result.text)
        let refused = try freshet(withOpenFiles: 30, "demo")
        XCTAssertEqual(refused.status, 1)
        XCTAssertTrue(refused.errorOutput.hasPrefix("freshet: overloaded: "), refused.errorOutput)
    }

    func testAnInterruptEndsTheDemoWithStatus130() throws {
        let run = try FreshetProcess(["demo", "--requests", "20000"])
        waitUntil("it is under way") { run.threads() > 3 }
        run.process.interrupt()
        XCTAssertEqual(run.result().status, 130)
    }
}
