import FreshetHTTP

/// One event of a server-sent event stream. Source: the WHATWG HTML standard, section 9.2.
///
/// Two events are equal if their type, data and ID are equal, regardless of their origin.
public struct ServerSentEvent: Sendable {
    /// The lines of the event's data, joined by LF.
    public var data: String
    /// The last event ID at the time of this event; empty if there is none.
    public var id: String
    /// The type and origin, which most events of a stream share; `nil` is a `message` without an origin.
    private(set) var kind: EventKind?

    public init(type: String = "message", data: String, id: String = "") {
        self.init(kind: type == EventKind.usualType ? nil : EventKind(type), data: data, id: id)
    }

    @inline(__always)
    init(kind: EventKind?, data: String, id: String) {
        self.kind = kind
        self.data = data
        self.id = id
    }

    /// The event type; `message` if the server has set none.
    public var type: String {
        get { kind?.type ?? EventKind.usualType }
        set { kind = EventKind(newValue, like: kind) }
    }

    /// The scheme, host and port that the event came from, after redirects; empty if it came from no connection. Source: the
    /// WHATWG HTML standard, section 9.2.6, "initialize event's origin attribute".
    public var origin: String { kind?.origin ?? "" }
}

extension ServerSentEvent: Hashable {
    public static func == (one: ServerSentEvent, other: ServerSentEvent) -> Bool {
        one.data == other.data && one.id == other.id && (one.kind === other.kind || one.type == other.type)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(data)
        hasher.combine(id)
    }
}

extension ServerSentEvent: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, children: ["type": type, "data": data, "id": id], displayStyle: .struct)
    }
}

/// A type of events and their origin, as one object, because events are copied often.
final class EventKind: Sendable {
    static let usualType = "message"

    let type: String
    let origin: String
    /// Decodes the data where a call names no decoder; `nil` is JSON.
    let decoder: (any BodyDecoder)?

    init(_ type: String, from origin: String = "", decoder: (any BodyDecoder)? = nil) {
        self.type = type
        self.origin = origin
        self.decoder = decoder
    }

    /// Makes a kind of another type, and otherwise like `other`.
    convenience init(_ type: String, like other: EventKind?) {
        self.init(type, from: other?.origin ?? "", decoder: other?.decoder)
    }
}
