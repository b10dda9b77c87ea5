import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// What signals do to a request of `freshet get`.
final class SignalTests: CommandLineTestCase {
    func testASignalEndsTheCommandWithItsStatusAndLeavesNoFile() throws {
        server.route { _ in .silence }
        for (count, (signal, status)) in [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)].enumerated() {
            let file = try temporaryDirectory().appendingPathComponent("file")
            let run = try FreshetProcess(["get", server.url, "-o", file.path])
            waitUntil("the request is there") { server.requestCount == count + 1 }
            kill(run.process.processIdentifier, signal)
            XCTAssertEqual(run.result().status, Int32(status))
            waitUntil("the connection is closed") { server.openConnections == 0 }
            let left = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
            XCTAssertEqual(left, [])
        }
    }

    func testASignalKeepsThePartOfADownloadThatResumesAsItsNoteSays() throws {
        for (tag, next) in [(nil, "--resume begins anew"), ("\"v\"", "the same command goes on")] as [(String?, String)]
        {
            let file = try temporaryDirectory().appendingPathComponent("file").path
            let barrier = Barrier()
            let headers: HTTPFields = tag.map { [.eTag: $0] } ?? [:]
            server.enqueue(ScriptedResponse(headers: headers, body: "hello world").pausing(after: 5, until: barrier))
            let terminal = try Terminal()
            let run = try FreshetProcess(
                ["get", server.url, "-o", file, "--resume"], environment: ["TERM": "xterm"], redirection: "2>&0",
                input: terminal.end)
            var text = ""
            waitUntil("the progress is drawn") {
                text += terminal.text
                return text.contains("45 %")
            }
            kill(run.process.processIdentifier, SIGINT)
            XCTAssertEqual(run.result().status, 130)
            text += terminal.text
            barrier.release()
            XCTAssertTrue(text.contains("\(file).part has what came; \(next)"), text)
            XCTAssertEqual(try String(contentsOfFile: "\(file).part", encoding: .utf8), "hello")
        }
    }

    func testNothingIsSaidAboutAPartThatIsRemovedBecauseItIsEmpty() throws {
        server.enqueue(.silence)
        let file = try temporaryDirectory().appendingPathComponent("file").path
        let run = try FreshetProcess(["get", server.url, "-o", file, "--resume"])
        waitUntil("the request is there") { server.requestCount == 1 }
        kill(run.process.processIdentifier, SIGINT)
        XCTAssertEqual(run.result().errorOutput, "")
        XCTAssertFalse(FileManager.default.fileExists(atPath: "\(file).part"))
    }

    func testTheQuitKeyEndsTheCommandWithoutAReportOfACrash() throws {
        server.enqueue(.silence)
        let run = try FreshetProcess(["get", server.url], environment: ["SWIFT_BACKTRACE": "enable=yes"])
        waitUntil("the request is there") { server.requestCount == 1 }
        kill(run.process.processIdentifier, SIGQUIT)
        let result = run.result()
        XCTAssertEqual(result.status, -SIGQUIT)
        XCTAssertEqual(result.errorOutput, "")
    }

    /// `nohup` has SIGHUP ignored, and a shell without job control SIGINT of a command in the background.
    func testASignalThatIsIgnoredDoesNotEndTheCommand() throws {
        for (count, (name, signal)) in [("HUP", SIGHUP), ("INT", SIGINT), ("TERM", SIGTERM)].enumerated() {
            let barrier = Barrier()
            server.enqueue(ScriptedResponse(body: "body").delayed(until: barrier))
            let output = try temporaryDirectory().appendingPathComponent("output").path
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = [
                "-c", "trap '' \(name); exec \"$0\" get \"$1\" > \"$2\"", FreshetProcess.executable.path, server.url,
                output,
            ]
            try shell.run()
            waitUntil("the request is there") { server.requestCount == count + 1 }
            kill(shell.processIdentifier, signal)
            barrier.release()
            shell.waitUntilExit()
            XCTAssertEqual(shell.terminationStatus, 0, name)
            XCTAssertEqual(try String(contentsOfFile: output, encoding: .utf8), "body")
        }
    }
}
