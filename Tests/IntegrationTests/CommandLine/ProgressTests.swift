import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests the progress line that a terminal shows.
final class ProgressTests: CommandLineTestCase {
    /// The text on a terminal after a download, whose second half arrives when the terminal shows `mark`.
    private func drawn(on kind: String, columns: UInt16 = 20, until mark: String = "\u{1B}[K") throws -> String {
        let barrier = Barrier()
        server.enqueue(ScriptedResponse(body: String(repeating: "a", count: 5000)).pausing(after: 2500, until: barrier))
        let terminal = try Terminal()
        terminal.setWidth(columns)
        let file = try temporaryDirectory().appendingPathComponent("f").path
        let run = try FreshetProcess(
            ["get", server.url, "-o", file], environment: ["TERM": kind], redirection: "2>&0", input: terminal.end)
        var text = ""
        let deadline = ContinuousClock.now + .milliseconds(kind == "dumb" ? 500 : 5000)
        while !text.contains("\u{1B}[K"), ContinuousClock.now < deadline {
            usleep(10_000)
            text += terminal.text
        }
        barrier.release()
        XCTAssertEqual(run.result().status, 0)
        return text + terminal.text
    }

    func testTheProgressIsNoWiderThanTheTerminal() throws {
        let text = try drawn(on: "xterm")
        let lines = text.components(separatedBy: "\r").map { $0.replacingOccurrences(of: "\u{1B}[K", with: "") }
        XCTAssertTrue(lines.contains { $0.hasPrefix("████") }, text)
        XCTAssertTrue(lines.allSatisfy { $0.count < 20 }, text)
        XCTAssertTrue(text.hasSuffix("\r\u{1B}[K"), "and is wiped at the end")
    }

    func testFortyColumnsFitTheSpeed() throws {
        XCTAssertTrue(try drawn(on: "xterm", columns: 40, until: "B/s").contains(" 50 %, "))
    }

    func testRunDrawsNoProgressOverTypedLines() throws {
        server.route { _ in ScriptedResponse(body: "b") }
        let terminal = try Terminal()
        let run = try FreshetProcess(
            ["run"], environment: ["TERM": "xterm"], redirection: ">&0 2>&0", input: terminal.end)
        try terminal.type("{\"url\": \"\(server.url)\"}\n{\"url\": ")
        var text = ""
        waitUntil("the first response is written") {
            text += terminal.text
            return text.contains("\"status\":200")
        }
        // The line would be drawn ten times per second.
        usleep(300_000)
        text += terminal.text
        run.process.interrupt()
        XCTAssertEqual(run.result().status, 130)
        XCTAssertFalse(text.contains("\u{1B}"), text)
    }

    func testAWaitForARetryCausesANoteOnATerminal() throws {
        server.enqueue(ScriptedResponse(status: .serviceUnavailable), ScriptedResponse(body: "b"))
        let terminal = try Terminal()
        let run = try FreshetProcess(
            ["get", server.url, "--retry", "1"], environment: ["TERM": "xterm"], redirection: "2>&0",
            input: terminal.end)
        XCTAssertEqual(run.result().status, 0)
        let text = terminal.text
        XCTAssertTrue(text.contains("note: responded with 503"), text)
        XCTAssertTrue(text.contains("; trying again in "), text)
    }

    func testANoteReplacesTheProgressLine() throws {
        let barrier = Barrier()
        server.enqueue(
            ScriptedResponse(status: .serviceUnavailable).delayed(until: barrier), ScriptedResponse(body: "b"))
        let terminal = try Terminal()
        let file = try temporaryDirectory().appendingPathComponent("f").path
        let run = try FreshetProcess(
            ["get", server.url, "--retry", "1", "-o", file], environment: ["TERM": "xterm"], redirection: "2>&0",
            input: terminal.end)
        var text = ""
        waitUntil("the progress is drawn") {
            text += terminal.text
            return text.contains("0 B")
        }
        barrier.release()
        XCTAssertEqual(run.result().status, 0)
        text += terminal.text
        XCTAssertTrue(text.contains("\r\u{1B}[Kfreshet: note: responded with 503"), text)
    }

    func testASilentDownloadLeavesTheLineOfTheTerminalAsItIs() throws {
        server.route { _ in ScriptedResponse(body: "b") }
        let terminal = try Terminal()
        let file = try temporaryDirectory().appendingPathComponent("f").path
        let run = try FreshetProcess(
            ["get", "-s", server.url, "-o", file], environment: ["TERM": "xterm"], redirection: "2>&0",
            input: terminal.end)
        XCTAssertEqual(run.result().status, 0)
        XCTAssertEqual(terminal.text, "")
    }

    func testADumbTerminalShowsNoProgress() throws {
        XCTAssertEqual(try drawn(on: "dumb"), "")
    }
}
