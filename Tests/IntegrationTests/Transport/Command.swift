import Foundation
import XCTest

/// Programs that the tests run.
enum Command {
    /// The path of a program.
    ///
    /// - Throws: `XCTSkip` if it is not installed.
    static func find(_ name: String) throws -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let found = (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/bin", "/usr/local/sbin"])
            .map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { throw XCTSkip("\(name) is not installed: the tests against a real server are left out") }
        return found
    }

    // Foundation's Process would wait until the nginx in the background has closed the pipe that it has inherited.
    static func run(_ path: String, _ arguments: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("freshet-\(UUID().uuidString).log").path
        defer { try? FileManager.default.removeItem(atPath: log) }
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var child = pid_t()
        let result = posix_spawn(&child, path, &actions, nil, &words, environ)
        guard result == 0 else { throw CommandFailed(text: "\(path): \(String(cString: strerror(result)))") }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else {
            let output = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            throw CommandFailed(text: "\(path) \(arguments.joined(separator: " ")): \(output)")
        }
    }

    private struct CommandFailed: Error {
        let text: String
    }
}
