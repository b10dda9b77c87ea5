import Foundation
import Harness

/// A server in a process of its own, so that its time on the processor is not the client's.
final class Server {
    let url: String
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()

    init(_ kind: ServerKind) throws {
        process = try Child.start([Child.sibling("layers"), "serve", kind.rawValue], output: output, input: input)
        url = output.fileHandleForReading.line()
    }

    /// How many requests have reached it.
    func requests() throws -> Int {
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        return Int(output.fileHandleForReading.line()) ?? 0
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
