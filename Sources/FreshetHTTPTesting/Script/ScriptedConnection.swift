/// What a ``ScriptedServer`` does to a connection, whatever is asked on it. Connections take what was enqueued in the order
/// in which they are accepted; the others are served as usual.
///
/// ```swift
/// server.enqueue(connection: .reset, .saying("HTTP/1.1 408 Request Timeout\\r\\n\\r\\n"))
/// server.enqueue(connection: .ended(afterReading: 100, by: .reset))
/// ```
public struct ScriptedConnection: Sendable {
    public enum Ending: Sendable, Hashable {
        case close, reset
    }

    var greeting: [UInt8] = []
    var end: (count: Int, ending: Ending)?
    var barrier: Barrier?

    /// It is reset as soon as it is accepted.
    public static var reset: ScriptedConnection { ended(afterReading: 0, by: .reset) }

    /// It is closed as soon as it is accepted.
    public static var close: ScriptedConnection { ended(afterReading: 0, by: .close) }

    /// It ends once the server has read so many bytes of requests; what they ask is not answered after that.
    public static func ended(afterReading count: Int, by ending: Ending) -> ScriptedConnection {
        ScriptedConnection(end: (count, ending))
    }

    /// These very bytes come before anything is asked.
    public static func saying(_ text: String) -> ScriptedConnection {
        ScriptedConnection(greeting: Array(text.utf8))
    }

    /// Nothing is read from it until `barrier` is released, so that the client fills the system's buffers and has to wait.
    public static func unread(until barrier: Barrier) -> ScriptedConnection {
        ScriptedConnection(barrier: barrier)
    }
}
