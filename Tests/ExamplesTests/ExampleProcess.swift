import Foundation
import XCTest

/// A run of an example that was built with the tests.
final class ExampleProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()

    init(_ name: String, _ arguments: String..., environment: [String: String] = [:]) throws {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent(name).path
        // The lines are flushed one by one, as on a terminal.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/stdbuf")
        process.arguments = ["-oL", program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    func write(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    func endInput() throws {
        try input.fileHandleForWriting.close()
    }

    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Waits until `text` is written, or for the end, and returns the output up to there.
    func output(through text: String) -> String {
        let end = Data(text.utf8)
        while true {
            if let found = unread.range(of: end) {
                defer { unread.removeSubrange(..<found.upperBound) }
                return String(decoding: unread[..<found.upperBound], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return rest() }
            unread.append(more)
        }
    }

    /// Waits until the example has ended with status 0, and returns the lines that were not yet read.
    func lines(file: StaticString = #filePath, line: UInt = #line) -> [String] {
        unread.append(output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, file: file, line: line)
        XCTAssertEqual(process.terminationReason, .exit, file: file, line: line)
        return rest().split(separator: "\n").map(String.init)
    }

    private func rest() -> String {
        defer { unread = Data() }
        return String(decoding: unread, as: UTF8.self)
    }
}
