public import HTTPTypes

/// A request as it arrived at a ``StubTransport`` or a ``ScriptedServer``.
///
/// Its description shows neither the query nor the values of credential fields, because they can contain secrets.
public struct RecordedRequest: Sendable {
    /// The number in the order of arrival, from 1.
    public internal(set) var number = 0
    /// The number of the connection, from 1. A ``StubTransport`` has no connections, so the number is 0.
    public var connection: Int
    public var method: HTTPRequest.Method
    /// The target of the request line: usually the path with the query.
    public var target: String
    /// The scheme, host and port of the request, as `http://host:port`.
    public var origin: String
    public var headers: HTTPFields
    public var body: [UInt8]
    /// The fields after a chunked body.
    public var trailers: HTTPFields = [:]
    /// The bytes of the head, with the empty line at its end. Empty for a ``StubTransport``.
    public var rawHead: [UInt8]

    public init(
        connection: Int = 0, method: HTTPRequest.Method, target: String, origin: String, headers: HTTPFields = [:],
        body: [UInt8] = [], rawHead: [UInt8] = []
    ) {
        self.connection = connection
        self.method = method
        self.target = target
        self.origin = origin
        self.headers = headers
        self.body = body
        self.rawHead = rawHead
    }

    /// The target without its query. Of a target with an origin, as a proxy receives it, the path.
    public var path: String {
        let text = target.prefix { $0 != "?" }
        guard !text.hasPrefix("/"), let origin = text.firstRange(of: "://") else { return String(text) }
        return text[origin.upperBound...].firstIndex(of: "/").map { String(text[$0...]) } ?? "/"
    }

    /// The text after the question mark; `nil` if there is none.
    public var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }

    /// The body as UTF-8 text. Invalid bytes are replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The token of `Authorization: Bearer …`.
    public var bearerToken: String? {
        guard let words = headers[.authorization]?.split(separator: " "), words.count == 2,
            words[0].lowercased() == "bearer"
        else { return nil }
        return String(words[1])
    }
}

extension RecordedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let fields = headers.map { field in
            let isShown = Self.shownFields.contains(field.name)
            return "\(field.name): \(isShown ? field.value : "…")"
        }
        return "#\(number) \(method) \(path)\(query == nil ? "" : "?…") [\(fields.joined(separator: ", "))]"
            + (body.isEmpty ? "" : " \(body.count) bytes")
    }

    // The defaults would print every field and the body.
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }

    /// Fields that contain no secret in any API. Only the names of all other fields are shown.
    private static let shownFields: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .contentLength, .contentType, .contentEncoding, .expect, .range, .transferEncoding,
        .userAgent, .connection, .host,
    ]
}
