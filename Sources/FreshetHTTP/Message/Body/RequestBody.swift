/// The body of a request.
///
/// ```swift
/// try client.post(url, body: .json(order))
/// client.post(url, body: .file("/var/log/app.log"))
/// client.post(url, body: .stream(lines))
/// ```
public enum RequestBody: Sendable, Hashable {
    case empty
    /// What is in memory, as it is, of no stated type.
    case bytes([UInt8])
    /// What says its type, or is read as it is sent: from a file, from a stream.
    case source(RequestBodySource)

    /// Its length in bytes; `nil` if that shows at its end only. Then HTTP/1.1 sends it in chunks.
    public var length: Int? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .source(let source): source.length
        }
    }

    /// Whether it can be had as often as it is asked for. A request whose body can't is sent once only: see
    /// ``Request/isOneShot``.
    public var isReplayable: Bool {
        if case .source(let source) = self { source.isReplayable } else { true }
    }

    /// What goes out as `Content-Type` if the request's headers name none.
    public var contentType: String? {
        if case .source(let source) = self { source.contentType } else { nil }
    }

    /// What it consists of, if that is in memory.
    public var bytes: [UInt8]? {
        switch self {
        case .empty: []
        case .bytes(let bytes): bytes
        case .source(let source): source.bytes
        }
    }

    /// Whether there is something to ``RequestBodySource/check()`` before it is sent.
    public var isChecked: Bool {
        if case .source(let source) = self { source.isChecked } else { false }
    }

    /// Whether there is known to be nothing in it.
    public var isEmpty: Bool { length == 0 }

    /// Bytes of a stated type.
    public static func bytes(_ bytes: [UInt8], contentType: String) -> RequestBody {
        .source(RequestBodySource(bytes: bytes, contentType: contentType))
    }
}
