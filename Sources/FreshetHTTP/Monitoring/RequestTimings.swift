/// How long a request took, in parts. The parts of all its attempts and redirects are added up.
public struct RequestTimings: Sendable, Hashable {
    /// How often it was put on the wire, redirects not counted.
    public var attempts: Int
    /// From the subscription to the head of the delivered answer.
    public var untilHead: Duration
    /// From the subscription to the end.
    public var total: Duration

    /// Until it had its place among the connections' limits and its adapters were done.
    public var queued = Duration.zero
    /// From there to the server's address; nothing where a connection was kept.
    public var resolving = Duration.zero
    /// From the address to the connection, or the search for a kept one.
    public var connecting = Duration.zero
    /// The TLS handshake; nothing where a connection was kept.
    public var securing = Duration.zero
    /// Until the last piece of the body was handed to the network; nothing for a small body in memory, which goes out with
    /// the head, see ``RequestEvent/sent(bytes:of:)``.
    public var sending = Duration.zero
    /// From the sent request to the head of the answer.
    public var waiting = Duration.zero
    /// From the head to the end of the body.
    public var receiving = Duration.zero

    public init(attempts: Int, untilHead: Duration, total: Duration) {
        self.attempts = attempts
        self.untilHead = untilHead
        self.total = total
    }

    /// The rest: what retriers did, a refresh say, and the delays between attempts.
    public var between: Duration {
        total - (queued + resolving + connecting + securing + sending + waiting + receiving)
    }

    /// The parts by their names, in the order in which they come.
    public var phases: [(name: String, duration: Duration)] {
        [
            ("queued", queued), ("resolving", resolving), ("connecting", connecting), ("securing", securing),
            ("sending", sending), ("waiting", waiting), ("receiving", receiving), ("between", between),
        ]
    }
}
