import Foundation

/// The program of that name, until ``end()``.
final class SilentServer {
    let url: String
    private let process: Process
    private let input = Pipe()

    init() throws {
        let output = Pipe()
        process = try Child.start([Child.sibling("silent-server")], output: output, input: input)
        url = "http://127.0.0.1:\(output.fileHandleForReading.line())/"
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
