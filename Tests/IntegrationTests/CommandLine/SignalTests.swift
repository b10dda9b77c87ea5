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
        for (words, tag, note) in [
            (["--resume"], nil, ".part has what came; --resume begins anew"),
            (["--resume"], "\"v\"", ".part has what came; the same command goes on"),
            ([], "\"v\"", "note: what came is deleted; --resume keeps it"),
        ] as [([String], String?, String)] {
            let file = try temporaryDirectory().appendingPathComponent("file").path
            let barrier = Barrier()
            let headers: HTTPFields = tag.map { [.eTag: $0] } ?? [:]
            server.enqueue(ScriptedResponse(headers: headers, body: "hello world").pausing(after: 5, until: barrier))
            let terminal = try Terminal()
            let run = try FreshetProcess(
                ["get", server.url, "-o", file] + words, environment: ["TERM": "xterm"], redirection: "2>&0",
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
            XCTAssertTrue(text.contains(words.isEmpty ? note : "\(file)\(note)"), text)
            let part = try? String(contentsOfFile: "\(file).part", encoding: .utf8)
            XCTAssertEqual(part, words.isEmpty ? nil : "hello")
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

    func testATimeoutOrASignalEndsTheCommandAlthoughThePipeThatItSendsHasNoWriter() throws {
        server.route { _ in .silence }
        let pipe = try temporaryDirectory().appendingPathComponent("pipe").path
        mkfifo(pipe, 0o600)
        for words in [["get", "-T", pipe], ["get", "-F", "x=@\(pipe)"], ["events", "-T", pipe]] {
            let result = try freshet(words + ["-m", "0.2", server.url])
            XCTAssertEqual(result.status, 1)
            XCTAssertTrue(result.errorOutput.contains("timeout"), result.errorOutput)
        }
        for (signal, status) in [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] {
            let run = try FreshetProcess(["get", "-v", "-T", pipe, server.url])
            XCTAssertFalse(run.firstErrorOutput().isEmpty)
            kill(run.process.processIdentifier, signal)
            XCTAssertEqual(run.result().status, Int32(status))
        }
    }

    func testAPipeIsSentWhollyAlthoughItsWriterComesLate() throws {
        server.enqueue(ScriptedResponse(body: "got it"))
        let pipe = try temporaryDirectory().appendingPathComponent("pipe").path
        mkfifo(pipe, 0o600)
        let run = try FreshetProcess(["get", "-T", pipe, server.url])
        var descriptor: Int32 = -1
        waitUntil("the pipe has a reader") {
            descriptor = open(pipe, O_WRONLY | O_NONBLOCK)
            return descriptor >= 0
        }
        let writing = FileHandle(fileDescriptor: descriptor)
        for piece in ["hello", " world"] { try writing.write(contentsOf: Data(piece.utf8)) }
        try writing.close()
        XCTAssertEqual(run.result().text, "got it")
        XCTAssertEqual(server.requests.last?.text, "hello world")
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
