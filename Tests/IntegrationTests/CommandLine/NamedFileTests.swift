import Foundation
import FreshetHTTPTesting
import XCTest

/// Tests the files that options name: an empty name is none, and no file is written twice.
final class NamedFileTests: CommandLineTestCase {
    func testAnEmptyNameIsAMistakeOfTheWords() throws {
        for option in [
            "--record", "--replay", "--replay-or-record", "--hsts", "--cache", "--output", "--unix-socket", "--cert",
            "--cacert", "--config", "--upload-file",
        ] {
            let result = try freshet("get", server.url, option, "")
            XCTAssertEqual(result.status, 2, result.errorOutput)
            XCTAssertTrue(result.errorOutput.hasPrefix("freshet: \(option) names no f"), result.errorOutput)
        }
        XCTAssertEqual(try freshet("get", server.url, "--cert", "c", "--key", "").status, 2)
        XCTAssertEqual(try freshet("bench", server.url, "--report", "r", "--compare", "").status, 2)
        XCTAssertEqual(try freshet("status", "--profile", "p", "--config", "").status, 2)
        XCTAssertEqual(server.requestCount, 0)
    }

    func testTwoOptionsWithOneFileAreRefused() throws {
        let folder = try temporaryDirectory().path
        let file = "\(folder)/file"
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: folder)
        // There is no file yet.
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/dangling", withDestinationPath: "file")
        for words in [
            ["get", "-o", file, "--record", file], ["get", "-o", "\(folder)/./file", "--record", file],
            ["get", "-o", "\(folder)/link/file", "--hsts", file], ["get", "-o", file, "--replay", file],
            ["get", "-o", "\(folder)/dangling", "--record", file],
            ["get", "-o", file, "--record", "\(folder)/link/dangling"],
            ["get", "-o", file, "--replay-or-record", file], ["run", "--hsts", file, "--record", file],
            ["bench", "--report", file, "--compare", file],
        ] {
            let result = try freshet(words + (words[0] == "run" ? [] : [server.url]))
            XCTAssertEqual(result.status, 2, "\(words): \(result.errorOutput)")
            XCTAssertTrue(result.errorOutput.contains(" both name the file "), result.errorOutput)
            XCTAssertFalse(FileManager.default.fileExists(atPath: file))
        }
        let here = try FreshetProcess(
            ["get", "\(server.url)/file", "-O", "--record", "file"], in: URL(fileURLWithPath: folder)
        ).result()
        XCTAssertEqual(here.status, 2, here.errorOutput)
        XCTAssertEqual(server.requestCount, 0)
        server.route { _ in ScriptedResponse(body: "b") }
        XCTAssertEqual(try freshet("get", server.url, "-o", "/dev/null", "--record", file).status, 0)
    }
}
