import Foundation
import Freshet

/// The fields of a line as they were read.
struct RequestLineFields {
    var id: [UInt8]?
    private var method: String?
    private var url: LineText?
    private var headers: [(name: String, value: String)]?
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

    /// Refuses a member that was probably meant as one of the request, which would otherwise be sent without it. Other unknown
    /// members do no harm.
    private func checkUnknown() throws {
        let isWrite = method.map { ["POST", "PUT", "PATCH"].contains($0.uppercased()) } ?? false
        for name in unknown {
            let known = name.lowercased()
            if missing.contains(known) {
                throw HTTPClientError.refusal("\"\(name)\" is not used", "write it as \"\(known)\"")
            }
            if isWrite, text == nil, base64 == nil, ["data", "json", "form", "payload"].contains(name) {
                throw HTTPClientError.refusal("\"\(name)\" is not used", "write the body as \"body\"")
            }
        }
    }

    /// The names of the members that the line does not have.
    private var missing: [String] {
        let members = [
            ("id", id == nil), ("method", method == nil), ("url", url == nil), ("headers", headers == nil),
            ("body", text == nil), ("body_base64", base64 == nil),
        ]
        return members.filter(\.1).map(\.0)
    }

    /// Refuses a method such as `post`. Methods are case-sensitive, so a server does not know it (RFC 9110, section 9.1).
    private static func checkCase(of method: String) throws {
        guard let upper = CommandLineAdvice.standardMethod(meantBy: method) else { return }
        throw HTTPClientError.refusal("the method \(method) is not in upper case", "write \"method\": \"\(upper)\"")
    }

    /// - Parameter get: makes a GET request to an address.
    func request(_ get: (LineText) throws -> Request) throws -> Request {
        try checkUnknown()
        guard let url else { throw HTTPClientError.refusal("url is missing", "write {\"url\": \"...\"}") }
        let method = try method.map { name in
            try Self.checkCase(of: name)
            return try HTTPRequest.Method(named: name)
        }
        var request = try get(url)
        if let method { request.method = method }
        for (name, value) in headers ?? [] { try request.headers.append(name, value) }
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

/// A string of the line: its bytes while the line is in memory, or the decoded text.
enum LineText {
    case plain(UnsafeBufferPointer<UInt8>)
    case decoded(String)

    var string: String {
        switch self {
        case .plain(let bytes): String(decoding: bytes, as: UTF8.self)
        case .decoded(let text): text
        }
    }
}
