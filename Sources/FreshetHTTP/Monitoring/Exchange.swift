public import FreshetCore
public import HTTPTypes

/// One time that a request was on the wire: an attempt, or a hop of a redirect.
public struct Exchange: Sendable {
    /// As it went out, after all adapters.
    public var request: Request
    /// How often the request had been sent before; hops of redirects count.
    public var resends: Int
    /// When its turn came; where that did not happen, when it began to wait for it.
    public var began: Instant
    public var ended: Instant
    /// Whether its turn came.
    public var wasAdmitted = false
    /// The server's address, as `host:port`, once there was a connection.
    public var address: String?
    /// Whether the connection was a kept one.
    public var isReused = false
    /// The answer's head, if that came.
    public var head: HTTPResponse?
    /// What HTTP the server spoke, as `1.1` or `2`, where the transport tells.
    public var version: String?
    /// How many bytes of the request's body were sent, where it is known.
    public var sentBytes: Int?
    /// How many bytes of the answer's body came, after decoding.
    public var receivedBytes = 0
    /// The same as it was on the wire, where the head said how many there are: not of a body that was decoded.
    public var wireBytes: Int? {
        head?.headerFields[.contentLength] == nil ? nil : receivedBytes
    }
    /// What ended it, if it did not end well. An answer is no failure, whatever its status.
    public var failure: (any Error)?

    init(_ request: Request, resends: Int, at instant: Instant) {
        self.request = request
        self.resends = resends
        began = instant
        ended = instant
    }

    public var duration: Duration { began.duration(to: ended) }
}

extension Exchange: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let result = head.map { String($0.status.code) } ?? failure?.safeDescription ?? "no answer"
        return "\(request), \(result), \(receivedBytes) bytes in \(duration)"
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["exchange": description]) }
}
