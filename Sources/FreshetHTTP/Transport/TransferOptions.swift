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
    /// From the start of resolving to a connection that can carry the request, proxy and TLS included; 10 s.
    public var connectTimeout: Duration? {
        get { connect.span }
        set { connect = TimeLimit(newValue) }
    }
    /// For the TLS handshake alone, within ``connectTimeout``; no limit of its own.
    public var tlsTimeout: Duration? {
        get { tls.span }
        set { tls = TimeLimit(newValue) }
    }
    /// From the end of the request to the first byte of its answer, an interim answer's too; no limit of its own.
    public var firstByteTimeout: Duration? {
        get { firstByte.span }
        set { firstByte = TimeLimit(newValue) }
    }
    /// The longest silence between two pieces of the answer, its head included, not counting time that the receiver
    /// has the transfer paused; 60 s.
    public var idleTimeout: Duration? {
        get { idle.span }
        set { idle = TimeLimit(newValue) }
    }
    /// From the start of the transfer to the end of the answer; waiting for a place is not counted. No limit.
    public var totalTimeout: Duration? {
        get { total.span }
        set { total = TimeLimit(newValue) }
    }
    /// How long after the start of a transfer the first of its limits can be up; `nil` if it has none.
    package var shortestLimit: Duration? {
        min(min(connect, tls), min(min(firstByte, idle), total)).span
    }
    /// Whether ``connectTimeout`` is at most so many seconds: asked for each request, for which a `Duration` takes long to divide.
    package func connects(withinSeconds seconds: Int64) -> Bool { connect <= TimeLimit(seconds: seconds) }
    private var connect = TimeLimit(.seconds(10))
    private var tls = TimeLimit(nil)
    private var firstByte = TimeLimit(nil)
    private var idle = TimeLimit(.seconds(60))
    private var total = TimeLimit(nil)

    /// The largest head of an answer, in bytes.
    ///
    /// Interim heads and trailers are counted with it.
    public var maximumHeadSize = 256 * 1024
    /// The largest body of an answer, in bytes, after decoding; `nil` is no limit. One that is larger is `tooLarge`, at its
    /// head if that tells the length.
    public var maximumBodySize: Int? {
        get { bodyLimit == .max ? nil : bodyLimit }
        set { bodyLimit = newValue ?? .max }
    }
    /// How many times the bytes that came the body may be once it is decoded; `nil` is no limit. More is `tooLarge`.
    ///
    /// A body of up to ``unpackedWithoutQuestion`` bytes may be as compressed as it likes. What people send is compressed 3
    /// to 50 times; a body that is made to fill the memory of whoever decodes it, a thousand times and more.
    public var maximumDecodingRatio: Int? {
        get { ratioLimit == 0 ? nil : Int(ratioLimit) }
        set { ratioLimit = newValue.map { Int32(clamping: max(1, $0)) } ?? 0 }
    }

    /// How far a body is decoded before ``maximumDecodingRatio`` counts: 4 MiB.
    public static let unpackedWithoutQuestion = 4 * 1024 * 1024

    // Every request has a copy of all this, so it is kept small.
    private var bodyLimit = Int.max
    private var ratioLimit: Int32 = 200

    /// Whether the answer is a stream that may go on for hours. It gets a connection of its own, which is not counted
    /// among those of ordinary requests and does not slow them down.
    public var isLongLived = false

    /// How long to wait, before the body is sent, for the server to say that it wants it (`Expect: 100-continue`); after
    /// that it is sent all the same. `nil` does not ask. For HTTP/1.1 and requests with a body; a server that knows
    /// nothing of it (417) is sent the request again without. Source: RFC 9110 section 10.1.1.
    public var expectsContinue: Duration? {
        get { goAhead.span }
        set { goAhead = TimeLimit(newValue) }
    }
    private var goAhead = TimeLimit(nil)

    public init() {}
}
