import ArgumentParser
import Foundation
import Freshet

/// What `-d` was given: the data, `@FILE`, or `-` or `@-` for the standard input.
struct BodyArgument: ExpressibleByArgument {
    private var text: String

    /// A standard input that is shorter can be sent again after a retry, a redirect or a refresh.
    private static let keptInput = 1 << 20

    init?(argument: String) {
        text = argument
    }

    /// Where it is read from, if it is not the data itself.
    private var path: String? {
        if text == "-" { return text }
        return text.hasPrefix("@") ? String(text.dropFirst()) : nil
    }

    /// The bytes, exactly as they are given, read as they are sent if there may be many.
    ///
    /// - Parameter loop: where a long standard input is read as it is sent; without one all of it is kept.
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
    /// The body of all of them together, joined by `&` as forms are; `nil` without any.
    func body(on loop: Loop?) throws -> RequestBody? {
        guard count != 1 else { return try self[0].body(on: loop) }
        if isEmpty { return nil }
        let parts = try map { try $0.bytes() }
        return .bytes([UInt8](parts.joined(separator: [UInt8(ascii: "&")])))
    }
}
