import Foundation
import FreshetHTTPTesting
import XCTest

/// Tests the owner, the group and the mode of a file that `-o` replaces.
final class OutputOwnerTests: CommandLineTestCase {
    private func attributes(of path: String, after launcher: String = "", _ words: [String]) throws -> [UInt32] {
        server.enqueue(ScriptedResponse(body: "new"))
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        chown(path, 65534, 1)
        chmod(path, 0o6755)
        let result = try FreshetProcess(["get", server.url, "-o", path] + words, launcher: launcher).result()
        XCTAssertEqual(result.status, 0, result.errorOutput)
        XCTAssertTrue(try String(contentsOfFile: path, encoding: .utf8).hasSuffix("new"))
        var status = stat()
        XCTAssertEqual(stat(path, &status), 0)
        return [status.st_uid, status.st_gid, status.st_mode & 0o7777]
    }

    func testAFileStaysItsOwners() throws {
        guard getuid() == 0 else { return print("not checked: takes root to give files away") }
        let path = try temporaryDirectory().appendingPathComponent("file").path
        for words in [[], ["-i"], ["--resume"]] {
            XCTAssertEqual(try attributes(of: path, words), [65534, 1, 0o6755], "\(words)")
        }
    }

    func testAFileWhoseOwnerCannotBeKeptRunsWithNobodysRights() throws {
        guard getuid() == 0 else { return print("not checked: takes root to give files away") }
        let path = try temporaryDirectory().appendingPathComponent("file").path
        for words in [[], ["-i"], ["--resume"]] {
            let attributes = try attributes(of: path, after: "setpriv --bounding-set -chown", words)
            XCTAssertEqual(attributes[0], 0, "\(words)")
            XCTAssertEqual(attributes[2], 0o755, "\(words)")
            // Of another user again.
            try FileManager.default.removeItem(atPath: path)
        }
    }
}
