/// The body of a request.
///
/// ```swift
/// try client.post(url, body: .json(order))
/// client.post(url, body: .file("/var/log/app.log"))
/// client.post(url, body: .stream(lines))
/// ```
public enum RequestBody: Sendable, Hashable {
    case empty
    /// Bytes in memory, without a stated type.
    case bytes([UInt8])
    /// A body with a stated type, or one that is read while it is sent, from a file or a stream.
    case source(RequestBodySource)

    /// The length in bytes; `nil` if it is known only at the end of the body. HTTP/1.1 sends such a body in chunks.
    public var length: Int? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .source(let source): source.length
        }
    }

    /// Whether the body can be read as often as needed. A request with any other body is sent only once: see
    /// ``Request/isOneShot``.
    public var isReplayable: Bool {
        if case .source(let source) = self { source.isReplayable } else { true }
    }

    /// The `Content-Type` of the request, if its headers name none.
    public var contentType: String? {
        if case .source(let source) = self { source.contentType } else { nil }
    }

    /// The whole body, if it is in memory; `nil` for one that is read while it is sent.
    public var bytes: [UInt8]? {
        switch self {
        case .empty: []
        case .bytes(let bytes): bytes
        case .source(let source): source.bytes
        }
    }

    /// Whether the body has to be checked before it is sent; see ``RequestBodySource/check()``.
    public var isChecked: Bool {
        if case .source(let source) = self { source.isChecked } else { false }
    }

    /// Whether the body is known to be empty.
    public var isEmpty: Bool { length == 0 }

    /// Bytes in memory, with a stated type.
    public static func bytes(_ bytes: [UInt8], contentType: String) -> RequestBody {
        .source(RequestBodySource(bytes: bytes, contentType: contentType))
    }
}

extension RequestBody {
    func checked() throws -> RequestBody {
        if case .source(let source) = self { .source(try source.check()) } else { self }
    }
}
