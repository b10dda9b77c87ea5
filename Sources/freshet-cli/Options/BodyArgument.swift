import ArgumentParser
import Foundation
import Freshet

/// The value of `-d`: the data, `@FILE`, or `-` or `@-` for standard input.
struct BodyArgument: ExpressibleByArgument {
    private var text: String

    /// The length in bytes below which standard input is kept in memory. It can then be sent again after a retry, a redirect or
    /// a refresh.
    private static let keptInput = 1 << 20

    init?(argument: String) {
        text = argument
    }

    /// The path that the body is read from; `nil` if the argument is the data itself.
    private var path: String? {
        if text == "-" { return text }
        return text.hasPrefix("@") ? String(text.dropFirst()) : nil
    }

    /// The body, byte for byte. A file or a long standard input is read while it is sent.
    ///
    /// - Parameter loop: the loop that reads a long standard input while it is sent; without a loop, all of it is kept in
    ///   memory.
    func body(on loop: Loop?) throws -> RequestBody {
        guard let path else { return .bytes(Array(text.utf8)) }
        if path == "-", let loop { return try Self.input(on: loop) }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, R_OK) == 0 else {
            return .bytes(try bytes())
        }
        return .file(path)
    }

    func bytes() throws -> [UInt8] {
        guard let path else { return Array(text.utf8) }
        return try Self.readable(path) { try readAll(from: path) }
    }

    private static func input(on loop: Loop) throws -> RequestBody {
        let start = try readable("-") {
            var start: [UInt8] = []
            while start.count < keptInput {
                let piece = try read(upTo: 64 * 1024, from: STDIN_FILENO)
                if piece.isEmpty { return (start, true) }
                start += piece
            }
            return (start, false)
        }
        if start.1 { return .bytes(start.0) }
        return .stream(loop.standardInput.startWith(start.0))
    }

    private static func readable<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing, message: "the body can't be read from \(path): \(error)",
                recoverySuggestion: "write -d @FILE, or -d @- for standard input", isUnsent: true)
        }
    }
}

extension [BodyArgument] {
    /// The bodies of all arguments, joined by `&` as in a form; `nil` if there are no arguments.
    func body(on loop: Loop?) throws -> RequestBody? {
        guard count != 1 else { return try self[0].body(on: loop) }
        if isEmpty { return nil }
        let parts = try map { try $0.bytes() }
        return .bytes([UInt8](parts.joined(separator: [UInt8(ascii: "&")])))
    }
}
