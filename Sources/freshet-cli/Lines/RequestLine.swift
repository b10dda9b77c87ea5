import Foundation
import Freshet

/// A line of `run`'s input: a request, and the `id` that goes into its answer as it came.
struct RequestLine: Sendable {
    /// The JSON text of the `id`, so that no digit of it is lost.
    private(set) var id = Array("null".utf8)
    private(set) var request: Result<Request, HTTPClientError>
    private let number: Int

    init(_ line: InputLine) {
        number = line.number
        request = .failure(Self.refusal("line \(line.number) is too long"))
        guard let bytes = line.bytes else { return }
        do {
            var fields = Fields()
            defer { if let id = fields.id { self.id = id } }
            try fields.read(bytes)
            request = .success(try fields.request())
        } catch let error as JSONError {
            request = .failure(Self.refusal("line \(line.number): \(error.message), at byte \(error.offset + 1)"))
        } catch {
            request = .failure(placed(error as? HTTPClientError ?? Self.refusal("\(error)")))
        }
    }

    /// The same error; one that says that the line is no request says which line.
    func placed(_ error: HTTPClientError) -> HTTPClientError {
        var error = error
        if error.code == .invalidRequest { error.message = "line \(number): \(error.message)" }
        return error
    }

    fileprivate static func refusal(_ message: String) -> HTTPClientError {
        HTTPClientError(.invalidRequest, phase: .preparing, message: message, isUnsent: true)
    }
}

/// The fields of a line as they were read.
private struct Fields {
    var id: [UInt8]?
    private var method: String?
    private var url: String?
    private var headers: [(name: String, value: String)] = []
    private var text: String?
    private var base64: String?

    mutating func read(_ bytes: [UInt8]) throws {
        var reader = JSONReader(bytes)
        guard try reader.kind() == .object else { throw RequestLine.refusal("it is not an object; write {\"url\": …}") }
        try reader.members { name, reader in
            switch name {
            case "id": id = Array(try reader.skip())
            case "method": method = try Self.string(name, &reader)
            case "url": url = try Self.string(name, &reader)
            case "body": text = try Self.string(name, &reader)
            case "body_base64": base64 = try Self.string(name, &reader)
            case "headers": try readHeaders(&reader)
            default: try reader.skip()
            }
        }
        try reader.end()
    }

    /// A field that is `null` is as good as none.
    private static func string(_ name: String, _ reader: inout JSONReader) throws -> String? {
        switch try reader.kind() {
        case .string: return try reader.string()
        case .null:
            try reader.skip()
            return nil
        case let kind: throw RequestLine.refusal("\(name) is \(kind.rawValue); write a string")
        }
    }

    private mutating func readHeaders(_ reader: inout JSONReader) throws {
        switch try reader.kind() {
        case .object: break
        case .null:
            try reader.skip()
            return
        case let kind: throw RequestLine.refusal("headers is \(kind.rawValue); write an object of strings")
        }
        var headers: [(String, String)] = []
        try reader.members { name, reader in
            switch try reader.kind() {
            case .string: headers.append((name, try reader.string()))
            case .array: try reader.elements { headers.append((name, try $0.string())) }
            case let kind: throw RequestLine.refusal("the header \(name) is \(kind.rawValue); write a string")
            }
        }
        self.headers = headers
    }

    func request() throws -> Request {
        guard let url else { throw RequestLine.refusal("url is missing") }
        var request = Request(method: try .init(named: method ?? "GET"), url: try RequestURL(url))
        for (name, value) in headers { try request.headers.append(name, value) }
        switch (text, base64) {
        case (nil, nil): break
        case (let text?, nil): request.body = .bytes(Array(text.utf8))
        case (nil, let base64?):
            guard let data = Data(base64Encoded: base64) else { throw RequestLine.refusal("body_base64 is no Base64") }
            request.body = .bytes(Array(data))
        case (_?, _?): throw RequestLine.refusal("body and body_base64 are both there; leave one out")
        }
        return request
    }
}
