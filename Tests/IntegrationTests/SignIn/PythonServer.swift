import Foundation
import XCTest

/// One of the server programs in the folder Programs. It ends with the test run.
// Sendable, because it is immutable.
final class PythonServer: Sendable {
    let url: String
    /// The directory for the files that the program writes. The program removes it at its end.
    let directory: URL
    private let process: Process
    // The program runs until this closes, also when the tests crash.
    private let input: Pipe

    private static let programs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Programs")

    /// Starts a program and waits at most 10 s for its port.
    ///
    /// - Throws: `XCTSkip`, if the programs' libraries are not installed.
    init(_ program: String, _ arguments: String...) throws {
        let python = try Self.python()
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("freshet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        input = Pipe()
        let output = Pipe()
        for handle in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        let log = directory.appendingPathComponent("log")
        try Data().write(to: log)
        process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [Self.programs.appendingPathComponent(program).path, directory.path] + arguments
        let own = ["PYTHONDONTWRITEBYTECODE": "1", "no_proxy": "127.0.0.1"]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        guard let port = Self.port(readFrom: output.fileHandleForReading.fileDescriptor) else {
            process.terminate()
            throw NotStarted(log: (try? String(contentsOf: log, encoding: .utf8)) ?? "")
        }
        url = "http://127.0.0.1:\(port)"
    }

    /// The interpreter that has the libraries.
    ///
    /// - Throws: `XCTSkip`, if they are not installed.
    static func python() throws -> String {
        let folder = URL(fileURLWithPath: try Command.find("django-admin")).deletingLastPathComponent()
        return folder.appendingPathComponent("python3").path
    }

    /// A script that opens the URL `$1` and decides there as a user with a browser does.
    static func browser(_ decision: String) throws -> String {
        "exec '\(try python())' '\(programs.appendingPathComponent("browser.py").path)' \(decision) \"$1\""
    }

    /// Opens a page of the server as a user who signs in and decides.
    static func visit(_ url: String, deciding decision: String, userCode: String) throws {
        try Command.run(
            try python(), [programs.appendingPathComponent("browser.py").path, decision, url, userCode])
    }

    /// The response to a GET without a credential.
    @discardableResult
    func fetch(_ path: String) throws -> Any {
        let result = try freshet("get", url + path)
        XCTAssertEqual(result.status, 0, result.errorOutput)
        return try JSONSerialization.jsonObject(with: result.output)
    }

    private static func port(readFrom descriptor: Int32) -> UInt16? {
        let end = ContinuousClock.now + .seconds(10)
        var line = [UInt8]()
        while line.last != UInt8(ascii: "\n") {
            let left = end - ContinuousClock.now
            let milliseconds = Int32(left.components.seconds * 1000 + 1)
            var events = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard left > .zero, poll(&events, 1, milliseconds) == 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return nil }
            line += bytes.prefix(count)
        }
        let text = String(decoding: line, as: UTF8.self)
        return text.hasPrefix("port ") ? UInt16(text.dropFirst(5).dropLast()) : nil
    }

    private struct NotStarted: Error {
        let log: String
    }
}
