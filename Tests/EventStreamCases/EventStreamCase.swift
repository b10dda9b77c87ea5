public import FreshetEvents

/// A stream, and the events that the standard gives for it. The tests use it with every path from bytes to events.
public struct EventStreamCase: Sendable {
    public let name: String
    public let bytes: [UInt8]
    public let events: [ServerSentEvent]
    public let comments: [String]
    /// The last event ID that the next connection sends.
    public let lastEventID: String
    /// The reconnection time that the server sets, in milliseconds.
    public let reconnectionTime: Int?

    /// - Parameter lastEventID: by default that of the last event.
    public init(
        _ name: String, _ bytes: [UInt8], _ events: [ServerSentEvent], comments: [String] = [],
        lastEventID: String? = nil, reconnectionTime: Int? = nil
    ) {
        self.name = name
        self.bytes = bytes
        self.events = events
        self.comments = comments
        self.lastEventID = lastEventID ?? events.last?.id ?? ""
        self.reconnectionTime = reconnectionTime
    }

    public init(
        _ name: String, _ text: String, _ events: [ServerSentEvent], comments: [String] = [],
        lastEventID: String? = nil, reconnectionTime: Int? = nil
    ) {
        self.init(
            name, Array(text.utf8), events, comments: comments, lastEventID: lastEventID,
            reconnectionTime: reconnectionTime)
    }

    /// Makes a case whose events have only data.
    public init(_ name: String, _ text: String, data: String...) {
        self.init(name, text, data.map { ServerSentEvent(data: $0) })
    }

    public static let topics: [(name: String, cases: [EventStreamCase])] = [
        ("line ends", lineEnds), ("byte order marks", byteOrderMarks), ("comments", comments), ("data", data),
        ("names of fields", fieldNames), ("types", types), ("IDs", ids), ("reconnection times", reconnectionTimes),
        ("texts", texts), ("sizes", sizes),
    ]

    public static var all: [EventStreamCase] { topics.flatMap(\.cases) }
}
