import Foundation
import Freshet

/// A line of `run`'s input: a request, and the `id` that is copied to its line of output.
struct RequestLine {
    /// The JSON text of the `id`, so that no digit is lost; `nil` if there is none.
    let id: [UInt8]?
    let request: Result<Request, HTTPClientError>
    private let number: Int

    fileprivate init(_ number: Int, id: [UInt8]?, _ request: Result<Request, HTTPClientError>) {
        self.number = number
        self.id = id
        self.request = request
    }

    /// The error with the request of this line. The message of an error of code `invalidRequest` also names the line.
    func located(_ error: HTTPClientError) -> HTTPClientError {
        let error = (try? request.get()).map(error.naming) ?? error
        return Self.placed(error, in: number)
    }

    fileprivate static func placed(_ error: HTTPClientError, in number: Int) -> HTTPClientError {
        var error = error
        if error.code == .invalidRequest { error.message = "line \(number): \(error.message)" }
        return error
    }
}

/// Reads lines one after the other.
struct RequestLineReader {
    private var latest = LatestAddress()
    private var notedMembers: Set<String> = []

    mutating func read(_ line: InputLine) -> RequestLine {
        var fields = Fields()
        let request = read(line, into: &fields)
        note(fields.unknown, in: line.number)
        return RequestLine(line.number, id: fields.id, request)
    }

    /// Notes each name once, and no more after the first lines have brought many.
    private mutating func note(_ unknown: [String], in number: Int) {
        let new = unknown.prefix(5).filter { !notedMembers.contains($0) }
        guard !new.isEmpty, notedMembers.count < 20 else { return }
        notedMembers.formUnion(new)
        let names = new.map { String($0.prefix(40)).debugDescription }.joined(separator: ", ")
        Console.report(
            "note: line \(number): \(names) \(new.count == 1 ? "is" : "are") not used; a request has "
                + "url, method, headers, body or body_base64, and id")
    }

    private mutating func read(_ line: InputLine, into fields: inout Fields) -> Result<Request, HTTPClientError> {
        guard let bytes = line.bytes else {
            return .failure(
                .refusal("line \(line.number) is too long", "write lines of \(Run.longestLine >> 20) MiB at most"))
        }
        do {
            // Some editors begin a file with a byte order mark.
            let hasMark = line.number == 1 && bytes.starts(with: [0xEF, 0xBB, 0xBF])
            try fields.read(hasMark ? UnsafeBufferPointer(rebasing: bytes[3...]) : bytes)
            return .success(try fields.request { try latest.request(to: $0) })
        } catch let error as JSONError {
            return .failure(
                .refusal(
                    "line \(line.number), column \(error.offset + 1): \(error.message)",
                    "write a JSON object in one line"))
        } catch {
            return .failure(RequestLine.placed(error as? HTTPClientError ?? .refusal("\(error)"), in: line.number))
        }
    }
}

/// A string of the line: its bytes while the line is in memory, or the decoded text.
private enum LineText {
    case plain(UnsafeBufferPointer<UInt8>)
    case decoded(String)

    var string: String {
        switch self {
        case .plain(let bytes): String(decoding: bytes, as: UTF8.self)
        case .decoded(let text): text
        }
    }
}

/// Keeps the request to the latest address, because most lines have the same address as the line before. Comparing the text is
/// faster than parsing it, and the client is also faster with an address that it has seen.
private struct LatestAddress {
    private var text: [UInt8] = []
    private var request: Request?

    /// A GET request to `address`.
    mutating func request(to address: LineText) throws -> Request {
        guard case .plain(let bytes) = address else { return Request(url: try RequestURL(address.string)) }
        if let request, text.count == bytes.count,
            text.withUnsafeBytes({ memcmp($0.baseAddress!, bytes.baseAddress!, bytes.count) == 0 })
        {
            return request
        }
        let request = Request(url: try RequestURL(address.string))
        text = Array(bytes)
        self.request = request
        return request
    }
}

/// The fields of a line as they were read.
private struct Fields {
    var id: [UInt8]?
    private var method: String?
    private var url: LineText?
    private var headers: [(name: String, value: String)] = []
    private var text: String?
    private var base64: String?
    /// The names of members that a request does not have.
    private(set) var unknown: [String] = []

    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else {
            throw HTTPClientError.refusal("it is empty", "leave it out")
        }
        var reader = JSONReader(bytes)
        guard try reader.kind() == .object else {
            throw HTTPClientError.refusal("it is not an object", "write {\"url\": \"...\"}")
        }
        var failure: (any Error)?
        try reader.members { name, reader in
            let value = reader
            do {
                try read(name, &reader)
            } catch {
                // The id may follow.
                failure = failure ?? error
                reader = value
                try reader.skip()
            }
        }
        try reader.end()
        if let failure { throw failure }
    }

    private mutating func read(_ name: String, _ reader: inout JSONReader) throws {
        switch name {
        case "id": id = try Self.id(&reader)
        case "method": method = try Self.string(name, &reader)
        case "url":
            if let plain = try reader.plainString() {
                url = .plain(plain)
            } else {
                url = try Self.string(name, &reader).map { .decoded($0) }
            }
        case "body": text = try Self.string(name, &reader)
        case "body_base64": base64 = try Self.string(name, &reader)
        case "headers": try readHeaders(&reader)
        default:
            unknown.append(name)
            try reader.skip()
        }
    }

    /// Reads the text of an `id`. Half a surrogate pair in it is refused, because a reader of the output may end there.
    private static func id(_ reader: inout JSONReader) throws -> [UInt8] {
        var strings = reader
        let text = Array(try reader.skip())
        if text.contains(UInt8(ascii: "\\")) { try decodeStrings(&strings) }
        return text
    }

    private static func decodeStrings(_ reader: inout JSONReader) throws {
        switch try reader.kind() {
        case .object: try reader.members { _, reader in try decodeStrings(&reader) }
        case .array: try reader.elements { try decodeStrings(&$0) }
        case .string: _ = try reader.string()
        default: try reader.skip()
        }
    }

    /// Reads a string. A field that is `null` counts as missing.
    private static func string(_ name: String, _ reader: inout JSONReader) throws -> String? {
        switch try reader.kind() {
        case .string: return try reader.string()
        case .null:
            try reader.skip()
            return nil
        case let kind: throw HTTPClientError.refusal("\(name) is \(kind.rawValue)", "write a string")
        }
    }

    private mutating func readHeaders(_ reader: inout JSONReader) throws {
        switch try reader.kind() {
        case .object: break
        case .null:
            try reader.skip()
            return
        case let kind: throw HTTPClientError.refusal("headers is \(kind.rawValue)", "write an object of strings")
        }
        var headers: [(String, String)] = []
        func readValue(of name: String, _ reader: inout JSONReader) throws {
            let kind = try reader.kind()
            guard kind == .string else {
                throw HTTPClientError.refusal("the header \(name) is \(kind.rawValue)", "write a string")
            }
            headers.append((name, try reader.string()))
        }
        try reader.members { name, reader in
            if try reader.kind() == .array {
                try reader.elements { try readValue(of: name, &$0) }
            } else {
                try readValue(of: name, &reader)
            }
        }
        self.headers = headers
    }

    /// - Parameter get: makes a GET request to an address.
    func request(_ get: (LineText) throws -> Request) throws -> Request {
        guard let url else { throw HTTPClientError.refusal("url is missing", "write {\"url\": \"...\"}") }
        let method = try method.map { try HTTPRequest.Method(named: $0) }
        var request = try get(url)
        if let method { request.method = method }
        for (name, value) in headers { try request.headers.append(name, value) }
        switch (text, base64) {
        case (nil, nil): break
        case (let text?, nil): request.body = .bytes(Array(text.utf8))
        case (nil, let base64?):
            guard let data = Data(base64Encoded: base64) else {
                throw HTTPClientError.refusal("body_base64 is no Base64", "check it")
            }
            request.body = .bytes(Array(data))
        case (_?, _?): throw HTTPClientError.refusal("body and body_base64 are both there", "leave one out")
        }
        return request
    }
}
