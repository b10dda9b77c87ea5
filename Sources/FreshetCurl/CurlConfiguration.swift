import CFreshetCurl

extension CurlTransport {
    /// What holds for all requests of a transport; what holds for one is in `TransferOptions`.
    public struct Configuration: Sendable {
        public var tls = TLS()
        public var proxy = Proxy.none
        public var pool = Pool()

        public init() {}
    }
}

extension CurlTransport.Configuration {
    /// How much runs at once, and how long connections are kept.
    public struct Pool: Sendable, Hashable {
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

    /// Whom the transport trusts.
    public struct TLS: Sendable, Hashable {
        /// A file of certificates in PEM form to trust instead of the system's. By default what `SSL_CERT_FILE` names,
        /// if it is set. A directory of certificates is not looked into.
        public var caFile: String? = CurlTransport.environment("SSL_CERT_FILE")

        public init() {}
    }

    /// Which proxy is asked, if any.
    public enum Proxy: Sendable, Hashable {
        case none
        /// What `http_proxy`, `https_proxy` and `no_proxy` say.
        case environment
        case url(String)
    }
}

extension CurlTransport {
    static func environment(_ name: String) -> String? {
        guard let value = curl_getenv(name) else { return nil }
        defer { curl_free(value) }
        return value.pointee == 0 ? nil : String(cString: value)
    }
}
