/// What a ``ScriptedServer`` does to a connection, regardless of the requests on it. The server applies the enqueued
/// values to connections in the order in which it accepts them, and handles all other connections as usual.
///
/// ```swift
/// server.enqueue(connection: .reset, .greeting("HTTP/1.1 408 Request Timeout\\r\\n\\r\\n"))
/// server.enqueue(connection: .ended(afterReading: 100, by: .reset))
/// ```
public struct ScriptedConnection: Sendable {
    public enum Ending: Sendable, Hashable {
        case close, reset
    }

    var greeting: [UInt8] = []
    var end: (count: Int, ending: Ending)?
    var barrier: Barrier?

    /// Resets the connection as soon as the server has accepted it.
    public static var reset: ScriptedConnection { ended(afterReading: 0, by: .reset) }

    /// Closes the connection as soon as the server has accepted it.
    public static var close: ScriptedConnection { ended(afterReading: 0, by: .close) }

    /// Ends the connection once the server has read `count` bytes of requests. It sends no response after that.
    public static func ended(afterReading count: Int, by ending: Ending) -> ScriptedConnection {
        ScriptedConnection(end: (max(0, count), ending))
    }

    /// Sends a text before the first request.
    public static func greeting(_ text: String) -> ScriptedConnection {
        ScriptedConnection(greeting: Array(text.utf8))
    }

    /// Reads nothing from the connection until `barrier` is released, so that the client fills the system's buffers and
    /// has to wait.
    public static func notReading(until barrier: Barrier) -> ScriptedConnection {
        ScriptedConnection(barrier: barrier)
    }
}
