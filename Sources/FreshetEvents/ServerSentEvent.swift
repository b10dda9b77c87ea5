/// One event of a server-sent event stream. Source: the WHATWG HTML standard, section 9.2.
public struct ServerSentEvent: Sendable, Hashable {
    /// The event type; `message` where the server named none.
    public var type: String
    /// The lines of the event's data, joined by LF.
    public var data: String
    /// The last event ID as of this event; empty where there is none.
    public var id: String

    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }
}
