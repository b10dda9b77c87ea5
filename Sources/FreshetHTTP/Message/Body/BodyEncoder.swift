public import FoundationEssentials

/// Encodes the bodies of requests. `JSONEncoder` and `PropertyListEncoder` conform to it, and an encoder of your own can.
public protocol BodyEncoder: Sendable {
    /// The media type of the body.
    var contentType: String { get }
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONEncoder: BodyEncoder {
    public var contentType: String { "application/json" }
}

extension PropertyListEncoder: BodyEncoder {
    public var contentType: String { "application/x-plist" }
}

extension RequestBody {
    /// `value` as JSON, with the type `application/json`. It is encoded in this call.
    ///
    /// This does not use the encoder of a client, which it does not know. Pass the value as `json:` to the client's function, or
    /// write `.encoded(value, using: client.configuration.encoder)`.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a value that JSON can't express.
    public static func json(_ value: some Encodable, using encoder: JSONEncoder = JSONEncoder()) throws -> RequestBody {
        try .encoded(value, using: encoder)
    }

    /// `value` in the format of `encoder`, with its media type. It is encoded in this call.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a value that the encoder can't express.
    public static func encoded(_ value: some Encodable, using encoder: any BodyEncoder) throws -> RequestBody {
        do {
            return .bytes([UInt8](try encoder.encode(value)), contentType: encoder.contentType)
        } catch {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing,
                message: "the body can't be written as \(encoder is JSONEncoder ? "JSON" : encoder.contentType)",
                recoverySuggestion: "see the underlying error, or set the encoder",
                underlying: error, isUnsent: true)
        }
    }

    /// The bytes of `data`.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RequestBody {
        .bytes([UInt8](data), contentType: contentType)
    }
}
