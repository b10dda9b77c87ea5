/// The limits and options of one transfer: one request on the wire and its response.
public struct TransferOptions: Sendable, Hashable {
    /// The version of HTTP to use.
    public enum Version: Sendable, Hashable {
        /// HTTP/2 where TLS offers it, else HTTP/1.1.
        case automatic
        case http1
        /// HTTP/2 over TLS, or an error.
        case http2
    }

    public var version: Version = .automatic
    /// The time limit from the start of resolving to a connection that can carry the request, including proxy and TLS; 10 s by
    /// default.
    public var connectTimeout: Duration? {
        get { connect.span }
        set { connect = TimeLimit(newValue) }
    }
    /// The time limit for the TLS handshake alone, within ``connectTimeout``; no limit of its own by default.
    public var tlsTimeout: Duration? {
        get { tls.span }
        set { tls = TimeLimit(newValue) }
    }
    /// The time limit from the end of the request to the first byte of its response, which may be an interim response; no limit
    /// of its own by default. A body in memory of up to 64 KiB counts as sent with its head.
    public var firstByteTimeout: Duration? {
        get { firstByte.span }
        set { firstByte = TimeLimit(newValue) }
    }
    /// The longest silence between two pieces of the response, including its head; 60 s by default. Time in which the receiver
    /// has paused the transfer does not count.
    public var idleTimeout: Duration? {
        get { idle.span }
        set { idle = TimeLimit(newValue) }
    }
    /// The time limit from the start of the transfer to the end of the response; no limit by default. Waiting for the first
    /// admission does not count.
    public var totalTimeout: Duration? {
        get { total.span }
        set { total = TimeLimit(newValue) }
    }
    /// The earliest time after the start of a transfer at which one of its limits can be reached; `nil` if it has no limits.
    package var shortestLimit: Duration? {
        min(min(connect, tls), min(min(firstByte, idle), total)).span
    }
    /// Whether ``connectTimeout`` is at most this many seconds. The transport checks this for each request, and dividing a
    /// `Duration` takes long.
    package func connects(withinSeconds seconds: Int64) -> Bool { connect <= TimeLimit(seconds: seconds) }
    private var connect = TimeLimit(.seconds(10))
    private var tls = TimeLimit(nil)
    private var firstByte = TimeLimit(nil)
    private var idle = TimeLimit(.seconds(60))
    private var total = TimeLimit(nil)

    /// The largest head of a response, in bytes.
    ///
    /// Interim heads and trailers count as well. Together they can have at most 5000 lines, of which 100 continue another.
    public var maximumHeadSize = 256 * 1024
    /// The largest body of a response, in bytes, after decoding; `nil` is no limit. A larger body fails with `tooLarge`, at its
    /// head if the head states the length.
    public var maximumBodySize: Int? {
        get { bodyLimit == .max ? nil : bodyLimit }
        set { bodyLimit = newValue ?? .max }
    }
    /// How many times larger than its bytes on the wire a body may become by decoding; `nil` is no limit. A larger body fails
    /// with `tooLarge`.
    ///
    /// A body of up to ``decodingRatioThreshold`` bytes may be compressed to any degree. Ordinary bodies are compressed 3 to
    /// 50 times. A body that is made to fill the receiver's memory is compressed a thousand times and more.
    ///
    /// The ratio counts over the whole body, and a stream that repeats itself can be compressed some hundred times for hours. So
    /// `lines`, `byteLines` and an `EventSource`, which limit each line or event, never use it. Set `nil` for other streams that
    /// may continue for hours, such as `jsonLines` and `serverSentEvents`.
    public var maximumDecodingRatio: Int? {
        get { ratioLimit == 0 ? nil : Int(ratioLimit) }
        set { ratioLimit = newValue.map { Int32(clamping: max(1, $0)) } ?? 0 }
    }

    /// The size up to which a body is decoded before ``maximumDecodingRatio`` applies: 4 MiB.
    public static let decodingRatioThreshold = 4 * 1024 * 1024

    // Every request has a copy of its options, so they are kept small.
    private var bodyLimit = Int.max
    private var ratioLimit: Int32 = 200

    /// Whether the request opens a connection of its own. A kept connection may be as slow as it was for its last request.
    public var freshConnection = false

    /// Whether the response is a stream that may continue for hours. It gets its own connection, which does not count among
    /// those of ordinary requests and does not slow them down.
    public var isLongLived = false

    /// How long to wait for the server to ask for the body before it is sent (`Expect: 100-continue`); after that, the body is
    /// sent anyway. `nil` sends no expectation. It applies to requests with a body over HTTP/1.1. A server that does not know
    /// the expectation (417) gets the request again without it. Source: RFC 9110 section 10.1.1.
    public var expectsContinue: Duration? {
        get { goAhead.span }
        set { goAhead = TimeLimit(newValue) }
    }
    private var goAhead = TimeLimit(nil)

    public init() {}
}
