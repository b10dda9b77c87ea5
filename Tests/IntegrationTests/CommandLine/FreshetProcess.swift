import Foundation
import XCTest

/// The result of a run of the built `freshet`.
struct FreshetResult {
    var status: Int32
    var output: Data
    var errorOutput: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
    var objects: [[String: Any]] {
        lines.map { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any] ?? [:] }
    }
}

/// A run of the `freshet` that was built beside the tests.
final class FreshetProcess {
    static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("freshet")

    let process = Process()
    let input = Pipe()
    let output = Pipe()
    private let errorOutput = Pipe()

    /// Standard error, for a test that reads it piece by piece.
    var errors: Pipe { errorOutput }

    /// - Parameters:
    ///   - openFiles: the soft and the hard limit of open files.
    ///   - fileSize: the largest file that can be written, in blocks of the shell. A longer one fails, as on a full disk.
    ///   - launcher: a command of the shell that runs the program, such as `setpriv`.
    ///   - redirection: a redirection in the syntax of the shell.
    ///   - source: the standard input, in place of ``input``.
    ///   - directory: the working directory, in place of the tests' own.
    init(
        _ arguments: [String], environment: [String: String] = [:], openFiles: Int? = nil, fileSize: Int? = nil,
        launcher: String = "", redirection: String = "", input source: FileHandle? = nil, in directory: URL? = nil
    ) throws {
        var limit = openFiles.map { "ulimit -n \($0); " } ?? ""
        // Otherwise the signal ends the process before the write fails.
        if let fileSize { limit += "trap '' XFSZ; ulimit -f \(fileSize); " }
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let command = "\(limit)exec \(launcher) \"$0\" \"$@\" \(redirection)"
        process.arguments = ["-c", command, Self.executable.path] + arguments
        let own = ProcessInfo.processInfo.environment.filter { !["FRESHET_CONFIG", "SSL_CERT_FILE"].contains($0.key) }
        process.environment = own.merging(environment) { $1 }
        process.standardInput = source ?? input
        if let directory { process.currentDirectoryURL = directory }
        process.standardOutput = output
        process.standardError = errorOutput
        try process.run()
    }

    /// Waits for the end of the process, and reads its output meanwhile, unless the test has closed the output.
    func result(readingOutput: Bool = true) -> FreshetResult {
        let reading = DispatchGroup()
        nonisolated(unsafe) var error = Data()
        let errorOutput = errorOutput
        DispatchQueue.global().async(group: reading) {
            error = errorOutput.fileHandleForReading.readDataToEndOfFile()
        }
        let output = readingOutput ? output.fileHandleForReading.readDataToEndOfFile() : Data()
        reading.wait()
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return FreshetResult(status: status, output: output, errorOutput: String(decoding: error, as: UTF8.self))
    }

    /// Waits for the first text on standard error. The result does not contain that text.
    func firstErrorOutput() -> String {
        String(decoding: errorOutput.fileHandleForReading.availableData, as: UTF8.self)
    }

    /// The number of the process's threads. It is 1 before the process has started any.
    func threads() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/task").count) ?? 0
    }

    /// The largest resident set so far, in bytes.
    func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = try XCTUnwrap(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try XCTUnwrap(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) * 1024
    }

    func write(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }
}

/// Runs `freshet` to its end.
func freshet(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
) throws -> FreshetResult {
    try freshet(arguments, input: input, environment: environment)
}

func freshet(
    _ arguments: [String], input: String = "", environment: [String: String] = [:]
) throws -> FreshetResult {
    let run = try FreshetProcess(arguments, environment: environment)
    let writing = run.input.fileHandleForWriting
    DispatchQueue.global().async {
        try? writing.write(contentsOf: Data(input.utf8))
        try? writing.close()
    }
    return run.result()
}

/// Runs `freshet` to its end with at most `openFiles` open files.
func freshet(withOpenFiles openFiles: Int, _ arguments: String..., input: String = "") throws -> FreshetResult {
    let run = try FreshetProcess(arguments, openFiles: openFiles)
    try run.write(input)
    try run.input.fileHandleForWriting.close()
    return run.result()
}

/// A directory that the test removes at its end.
extension XCTestCase {
    func temporaryDirectory() throws -> URL {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("freshet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        addTeardownBlock {
            do {
                try FileManager.default.removeItem(at: directory)
            } catch let error as CocoaError where error.code == .fileNoSuchFile {
                // A store that the test has released may remove a file of its own meanwhile.
                try FileManager.default.removeItem(at: directory)
            }
        }
        return directory
    }

    func temporaryFile(_ text: String, named name: String = "file") throws -> String {
        let file = try temporaryDirectory().appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
