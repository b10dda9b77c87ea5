import Foundation
import FreshetHTTPTesting
import HTTPTypes
import XCTest

/// Tests what is typed or pasted at the prompt for a secret.
final class PromptTests: ProfileTestCase {
    private func promptForToken(_ terminal: Terminal, store: String) throws -> FreshetProcess {
        let config = try profile(try tokenServer(), store: "file:\(store)")
        let run = try FreshetProcess(
            ["login", "--config", config, "--profile", "p", "--access-token", "-"], input: terminal.end)
        _ = run.firstErrorOutput()
        waitUntil("nothing is shown") { !terminal.shows }
        return run
    }

    func testATokenThatTheTerminalHasCutIsRefused() throws {
        for (length, status) in [(5000, 1), (4095, 1), (4094, 0)] as [(Int, Int32)] {
            let store = try temporaryDirectory().appendingPathComponent("s").path
            let terminal = try Terminal()
            let run = try promptForToken(terminal, store: store)
            try terminal.type(String(repeating: "T", count: length) + "\n")
            let result = run.result()
            XCTAssertEqual(result.status, status, result.errorOutput)
            XCTAssertEqual(FileManager.default.fileExists(atPath: store), status == 0)
            if status == 0 { continue }
            XCTAssertTrue(
                result.errorOutput.contains("the access token has more than the 4094 bytes"), result.errorOutput)
            XCTAssertFalse(result.errorOutput.contains("TT"))
        }
    }

    func testATokenWithoutAnEndIsRefused() throws {
        let config = try profile(try tokenServer(), store: "file:\(try temporaryDirectory().path)/s")
        let result = try FreshetProcess(
            ["login", "--config", config, "--profile", "p", "--access-token", "-"],
            input: try XCTUnwrap(FileHandle(forReadingAtPath: "/dev/zero"))
        ).result()
        XCTAssertEqual(result.status, 1)
        XCTAssertTrue(result.errorOutput.contains("has more than 1 MiB"), result.errorOutput)
    }

    /// The shell shows what is typed while the process is stopped.
    func testAPromptThatWasStoppedHidesTheSecretWhenItContinues() throws {
        let store = try temporaryDirectory().appendingPathComponent("s").path
        let terminal = try Terminal()
        let run = try promptForToken(terminal, store: store)
        var settings = termios()
        tcgetattr(terminal.end.fileDescriptor, &settings)
        XCTAssertEqual(settings.c_cc.1, 0x1C, "the key for SIGQUIT")
        XCTAssertEqual(settings.c_cc.10, 0x1A, "the key for SIGTSTP")
        for _ in 0..<2 {
            kill(run.process.processIdentifier, SIGSTOP)
            settings.c_lflag |= tcflag_t(ECHO)
            tcsetattr(terminal.end.fileDescriptor, TCSANOW, &settings)
            kill(run.process.processIdentifier, SIGCONT)
            waitUntil("nothing is shown") { !terminal.shows }
        }
        try terminal.type("token\n")
        XCTAssertEqual(run.result().status, 0)
        XCTAssertTrue(terminal.shows)
        XCTAssertTrue(try String(contentsOfFile: store, encoding: .utf8).contains("\"token\""))
    }

    func testAPromptThatQuitsLeavesNoFileWithTheSecret() throws {
        let run = try promptForToken(try Terminal(), store: try temporaryDirectory().appendingPathComponent("s").path)
        let limits = try String(contentsOfFile: "/proc/\(run.process.processIdentifier)/limits", encoding: .utf8)
        XCTAssertNotNil(limits.firstMatch(of: #/Max core file size +0 +0 /#), limits)
        kill(run.process.processIdentifier, SIGQUIT)
        XCTAssertEqual(run.result().status, -SIGQUIT)
    }

    func testSpacesBelongToATypedPassword() throws {
        server.enqueue(ScriptedResponse(body: "b"))
        let terminal = try Terminal()
        let run = try FreshetProcess(["get", server.url, "-u", "me"], input: terminal.end)
        _ = run.firstErrorOutput()
        waitUntil("nothing is shown") { !terminal.shows }
        try terminal.type(" pass word \n")
        XCTAssertEqual(run.result().status, 0)
        let pair = Data("me: pass word ".utf8).base64EncodedString()
        XCTAssertEqual(server.requests.first?.headers[.authorization], "Basic \(pair)")
    }
}
