/// How long a request took, in parts. Each part is the sum over all attempts and redirects.
public struct RequestTimings: Sendable, Hashable {
    /// How often the request was sent, not counting redirects.
    public var attempts: Int
    /// From the subscription to the head of the delivered response.
    public var untilHead: Duration
    /// From the subscription to the end.
    public var total: Duration

    /// From the start of an attempt until the connection limits admitted the request, without the time that its adapters took.
    public var queued = Duration.zero
    /// From the admission to the server's address; zero for a kept connection.
    public var resolving = Duration.zero
    /// From the address to the connection, or the search for a kept connection.
    public var connecting = Duration.zero
    /// The TLS handshake; zero for a kept connection.
    public var securing = Duration.zero
    /// From the connection, or its TLS handshake, until the last piece of the body was handed to the network. It is zero for a
    /// small body in memory, which goes out with the head; see ``RequestEvent/sent(bytes:of:)``.
    public var sending = Duration.zero
    /// From the sent request to the head of the response.
    public var waiting = Duration.zero
    /// From the head to the end of the body.
    public var receiving = Duration.zero

    public init(attempts: Int, untilHead: Duration, total: Duration) {
        self.attempts = attempts
        self.untilHead = untilHead
        self.total = total
    }

    /// The rest: the work of adapters and retriers, such as a refresh, and the delays between attempts.
    public var between: Duration {
        total - (queued + resolving + connecting + securing + sending + waiting + receiving)
    }

    /// The parts with their names, in the order in which they happen.
    public var phases: [(name: String, duration: Duration)] {
        [
            ("queued", queued), ("resolving", resolving), ("connecting", connecting), ("securing", securing),
            ("sending", sending), ("waiting", waiting), ("receiving", receiving), ("between", between),
        ]
    }
}
