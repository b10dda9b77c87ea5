/// The limits and wishes for one transfer: one request on the wire and its answer.
public struct TransferOptions: Sendable, Hashable {
    /// Which HTTP is spoken.
    public enum Version: Sendable, Hashable {
        /// HTTP/2 where TLS offers it, else HTTP/1.1.
        case automatic
        case http1
        /// HTTP/2 over TLS, or an error.
        case http2
    }

    public var version: Version = .automatic
    /// From the start of resolving to a connection that can carry the request, TLS included.
    public var connectTimeout: Duration? = .seconds(10)
    /// The longest silence between two pieces of the answer, its head included, not counting time that the receiver
    /// has the transfer paused.
    public var idleTimeout: Duration? = .seconds(60)
    /// From the start of the transfer to the end of the answer; waiting for a place is not counted.
    public var totalTimeout: Duration?
    /// The largest head of an answer, in bytes.
    public var maximumHeadSize = 256 * 1024

    /// Whether the answer is a stream that may go on for hours. It gets a connection of its own, which is not counted
    /// among those of ordinary requests and does not slow them down.
    public var isLongLived = false

    public init() {}
}
