import CFreshetCurl
public import FreshetCore
public import FreshetHTTP
public import FreshetLoop

/// Carries requests with libcurl on a loop: HTTP/1.1, and HTTP/2 where TLS offers it.
///
/// Everything is delivered on the loop's thread. Who is there already stays there; from other threads a burst of
/// requests is one wake-up. It ends with ``shutdown()`` or with its loop, and then each transfer fails with
/// `cancelled`.
public final class CurlTransport: Transport {
    public struct Configuration: Sendable {
        /// Which proxy is asked, if any.
        public enum Proxy: Sendable, Hashable {
            case none
            /// What `http_proxy`, `https_proxy` and `no_proxy` say.
            case environment
            case url(String)
        }

        /// A file of certificates in PEM form to trust instead of the system's. By default what `SSL_CERT_FILE` names,
        /// if it is set. A directory of certificates is not looked into.
        public var caFile: String? = CurlTransport.environment("SSL_CERT_FILE")
        public var proxy = Proxy.none
        /// How many ordinary transfers run to one origin at once; where HTTP/2 is spoken, ``maximumConnections`` holds.
        public var maximumConnectionsPerOrigin = 64
        /// How many ordinary transfers run at once. It lowers itself while the process has no descriptors left.
        public var maximumConnections = 512
        /// How many long-lived ones run at once.
        public var maximumLongLived = 65_536
        /// How many wait for their turn; one more is `overloaded`.
        public var queueLimit = 65_536
        /// How long one waits for its turn before it fails with `timeout`; `nil` is for ever.
        public var acquireTimeout: Duration?

        public init() {}
    }

    public let configuration: Configuration
    // On the loop's side.
    let pool: CurlPool

    /// - Parameter loop: runs everything; ends the transport too when it is shut down.
    public init(loop: Loop, configuration: Configuration = Configuration()) {
        Self.initialiseLibrary
        self.configuration = configuration
        pool = CurlPool(on: loop, configuration: configuration)
    }

    deinit { pool.submit(.shutdown) }

    private static let initialiseLibrary: Void = {
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    }()

    static func environment(_ name: String) -> String? {
        guard let value = curl_getenv(name) else { return nil }
        defer { curl_free(value) }
        return value.pointee == 0 ? nil : String(cString: value)
    }

    /// See `Transport`. What the request can't say, such as a header with CR or LF, fails with `invalidRequest`.
    public func send(_ request: Request) -> Observable<ResponsePart> {
        stream(request, preparedBy: nil)
    }

    public func send(
        _ request: Request, preparedBy prepare: @escaping @Sendable (Request) -> Single<Request>
    ) -> Observable<ResponsePart> {
        stream(request, preparedBy: prepare)
    }

    private func stream(
        _ request: Request, preparedBy prepare: (@Sendable (Request) -> Single<Request>)?
    ) -> Observable<ResponsePart> {
        .create(
            { CurlTransfer(request, preparedBy: prepare, transport: self, observer: $0) },
            start: { self.pool.submit(.start($0)) })
    }

    /// Ends every transfer with `cancelled`, closes all connections, and refuses what comes after. Can be called again.
    /// It waits for its end, but not when called on the loop, where that may come a moment later.
    public func shutdown() {
        pool.shutdown()
    }
}
