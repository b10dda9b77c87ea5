import ArgumentParser
import Foundation
import Freshet
import Synchronization

/// A part of the body: data, `@FILE`, or `-` or `@-` for standard input.
struct BodyArgument: ExpressibleByArgument {
    /// What the text of the argument means.
    enum Kind {
        case data
        /// The text is the data, whatever it begins with.
        case raw
        /// A field of a form, which is encoded: `value`, `=value`, `name=value`, `@file` or `name@file`.
        case urlEncoded
    }

    private let text: String
    private let kind: Kind
    /// The place among the arguments, which are parsed in the order of the command line.
    let place: Int

    /// The text and its value in seconds, if other load generators would read it as a duration: a number, which `s`, `m` or `h`
    /// may follow.
    var duration: (text: String, seconds: Double)? {
        guard let match = text.wholeMatch(of: /([0-9]+(?:\.[0-9]+)?)([smh]?)/), let number = Double(match.1) else {
            return nil
        }
        let seconds = number * (match.2 == "h" ? 3600 : match.2 == "m" ? 60 : 1)
        return seconds > 0 ? (text, seconds) : nil
    }

    private static let places = Atomic(0)

    /// The length in bytes below which standard input is kept in memory. It can then be sent again after a retry, a redirect or
    /// a refresh.
    private static let keptInput = 1 << 20

    /// The most bytes of a file that are kept in memory, because a device or a pipe can have no end.
    private static let longestContent = 512 << 20

    init?(argument: String) {
        self.init(argument, .data)
    }

    init(_ text: String, _ kind: Kind) {
        self.text = text
        self.kind = kind
        place = Self.places.add(1, ordering: .relaxed).newValue
    }

    /// The path that the body is read from; `nil` if the argument is the data itself.
    private var path: String? {
        guard kind == .data else { return nil }
        if text == "-" { return text }
        return text.hasPrefix("@") ? String(text.dropFirst()) : nil
    }

    /// The body, byte for byte. A file or a long standard input is read while it is sent.
    ///
    /// - Parameter loop: the loop that reads a long standard input while it is sent; without a loop, all of it is kept in
    ///   memory.
    func body(on loop: Loop?) throws -> RequestBody {
        guard let path else { return .bytes(try bytes()) }
        if path == "-" { return try loop.map(Self.input) ?? .bytes(try bytes()) }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(path, R_OK) == 0 else {
            return .bytes(try bytes())
        }
        return .file(path)
    }

    func bytes() throws -> [UInt8] {
        if kind == .urlEncoded { return try encodedField() }
        guard let path else { return Array(text.utf8) }
        return try Self.content(of: path)
    }

    /// The first and the last bytes of the file; `nil` if there is none, or if it can't be read.
    fileprivate var endsOfFile: [UInt8]? {
        guard let path, path != "-", let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        guard let start = try? file.read(upToCount: 64), let length = try? file.seekToEnd() else { return nil }
        try? file.seek(toOffset: length - min(64, length))
        return (try? file.read(upToCount: 64)).map { [UInt8](start + $0) }
    }

    /// The bytes for the query of an address, those outside of ASCII encoded, because they need not be UTF-8. A file usually ends
    /// with a line break, and a query can hold none.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for what an address can't hold. The error of the address would be
    ///   about a query that the user has not written.
    fileprivate func queryBytes() throws -> [UInt8] {
        let bytes = try path == nil ? bytes() : bytes().filter { $0 != 0x0A && $0 != 0x0D }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            let (subject, suggestion): (String, HTTPClientError.RecoverySuggestion) =
                switch kind {
                case .data: ("the data of -d", "--data-urlencode encodes it")
                case .raw: ("the data of --data-raw", "--data-urlencode encodes it")
                case .urlEncoded: ("the name in --data-urlencode", "percent-encode it")
                }
            throw HTTPClientError.refusal(
                "\(subject) has white space or a control character, which no address can hold", suggestion)
        }
        return bytes.flatMap { $0 < 0x80 ? [$0] : Self.percentEncoded($0) }
    }

    /// The field of a form. As in curl, an equals sign wins over an at sign, and the name is not encoded.
    private func encodedField() throws -> [UInt8] {
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "=")) ?? text.utf8.firstIndex(of: UInt8(ascii: "@"))
        guard let mark else { return Self.encoded(Array(text.utf8)) }
        let value = String(text[text.utf8.index(after: mark)...])
        let isFile = text.utf8[mark] == UInt8(ascii: "@")
        let bytes = try isFile ? Self.content(of: value) : Array(value.utf8)
        let name = text[..<mark]
        return (name.isEmpty ? [] : Array("\(name)=".utf8)) + Self.encoded(bytes)
    }

    /// Encodes any bytes, which need not be UTF-8, as curl does.
    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: " "): [UInt8(ascii: "+")]
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: [byte]
            case _ where "-._~".utf8.contains(byte): [byte]
            default: percentEncoded(byte)
            }
        }
    }

    private static func percentEncoded(_ byte: UInt8) -> [UInt8] { Array(String(format: "%%%02X", Int(byte)).utf8) }

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

    private static func content(of path: String) throws -> [UInt8] {
        try readable(path) { try readAll(from: path, limit: longestContent) }
    }

    private static func readable<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            let isInput = path == "-"
            let isTooLarge = (error as? SystemError)?.code == EFBIG
            let isForbidden = (error as? SystemError)?.code == EACCES
            let source = isInput ? "the standard input can't be read" : "the body can't be read from \(path)"
            throw HTTPClientError.refusal(
                "\(source): \(error)",
                isTooLarge
                    ? "freshet get --upload-file sends more than 512 MiB"
                    : isInput
                        ? "connect it with a file or a pipe"
                        : isForbidden ? .checkMode : "check the name after the @; @- is standard input",
                code: isTooLarge ? .tooLarge : .invalidRequest)
        }
    }
}

extension [BodyArgument] {
    /// The bodies of all arguments, joined by `&` as in a form; `nil` if there are no arguments.
    func body(on loop: Loop?) throws -> RequestBody? {
        guard count != 1 else { return try self[0].body(on: loop) }
        return isEmpty ? nil : .bytes(try bytes())
    }

    /// The bytes of all arguments, joined by `&`, or by another separator.
    func bytes(joinedBy separator: String = "&") throws -> [UInt8] {
        let parts: [[UInt8]] = try map { try $0.bytes() }
        return [UInt8](parts.joined(separator: [UInt8](separator.utf8)))
    }

    /// The bytes of all arguments for the query of an address, joined by `&`.
    func queryBytes() throws -> [UInt8] {
        let parts: [[UInt8]] = try map { try $0.queryBytes() }
        return [UInt8](parts.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Whether `body`, which is made of the arguments, has the brackets of a JSON object or array. Of a file that is read while
    /// it is sent only both ends are read.
    func looksLikeJSON(_ body: RequestBody) -> Bool {
        let text = (body.bytes ?? self.first?.endsOfFile ?? []).filter { $0 > 0x20 }
        guard let first = text.first, let last = text.last else { return false }
        return first == UInt8(ascii: "{") && last == UInt8(ascii: "}")
            || first == UInt8(ascii: "[") && last == UInt8(ascii: "]")
    }
}
