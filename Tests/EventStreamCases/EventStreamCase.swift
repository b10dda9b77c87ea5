public import FreshetEvents

/// A stream, and what the standard says that it is: for every way that leads from bytes to events.
public struct EventStreamCase: Sendable {
    public let name: String
    public let bytes: [UInt8]
    public let events: [ServerSentEvent]
    public let comments: [String]
    /// What the next connection is asked to go on after.
    public let lastEventID: String
    /// As the server asked for it, in milliseconds.
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

    /// Events of data alone.
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
