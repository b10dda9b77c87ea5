import Foundation

/// The program of that name, until ``end()``.
public final class SilentServer {
    public let url: String
    private let process: Process
    private let input = Pipe()

    /// - Parameters:
    ///   - port: one that is free, if it is not said.
    ///   - period: milliseconds from one event of a stream to the next; without it they are silent.
    public init(port: UInt16? = nil, period: Int? = nil) throws {
        let output = Pipe()
        let words =
            [Child.sibling("silent-server")] + (port.map { ["--port", "\($0)"] } ?? [])
            + (period.map { ["--period", "\($0)"] } ?? [])
        process = try Child.start(words, output: output, input: input)
        url = "http://127.0.0.1:\(output.fileHandleForReading.line())/"
    }

    /// Ends it at once, and all its connections.
    public func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
