public import FreshetCore
public import HTTPTypes

/// One exchange of a request on the wire: an attempt, or a hop of a redirect.
public struct Exchange: Sendable {
    /// The request as it went out, after all adapters.
    public var request: Request
    /// How often the request had been sent before, including hops of redirects.
    public var resends: Int
    /// When the request was admitted, or, if it never was, when it began to wait for admission.
    public var began: Instant
    public var ended: Instant
    /// Whether the request was admitted.
    public var wasAdmitted = false
    /// The server's address, as `host:port`, once there was a connection.
    public var address: String?
    /// Whether the request used a kept connection; of a request that was sent again, whether its last connection was a kept one.
    public var isReused = false
    /// The head of the response, if it arrived.
    public var head: HTTPResponse?
    /// The version of HTTP that the connection uses, as `1.1` or `2`. With TLS it is known only for the request that has opened the
    /// connection. HTTP/1.0 counts as `1.1`.
    public var version: String?
    /// How many bytes of the request's body were sent, if that is known.
    public var sentBytes: Int?
    /// How many bytes of the response's body arrived, after decoding.
    public var receivedBytes = 0
    /// How many bytes of the response's body arrived on the wire; `nil` if the head states no length, and for a body that was
    /// decoded.
    public var wireBytes: Int? {
        if case .revalidated = cacheStatus { return 0 }
        return head?.headerFields[.contentLength] == nil ? nil : receivedBytes
    }
    /// The head that the server has sent: that of the confirmation if a cache has validated its response, and else ``head``.
    public var wireHead: HTTPResponse? {
        if case .revalidated(let confirmation) = cacheStatus { confirmation } else { head }
    }
    /// Where the response came from, if there is a cache.
    public var cacheStatus: CacheStatus?
    /// The error that ended the exchange; `nil` if it ended well. A response is not a failure, whatever its status.
    public var failure: (any Error)?

    init(_ request: Request, resends: Int, at instant: Instant) {
        self.request = request
        self.resends = resends
        began = instant
        ended = instant
    }

    public var duration: Duration { began.duration(to: ended) }

    /// Whether the response came from a cache, without a request.
    public var wasServedFromCache: Bool {
        switch cacheStatus {
        case .hit, .stale, .unsatisfiable: !wasAdmitted
        case .revalidated, .miss, nil: false
        }
    }
}

extension Exchange: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let result = head.map { String($0.status.code) } ?? failure?.safeDescription ?? "no response"
        return "\(request), \(result), \(receivedBytes) bytes in \(duration)"
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["exchange": description]) }
}
