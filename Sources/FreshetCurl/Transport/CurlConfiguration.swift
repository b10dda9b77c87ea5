import CFreshetCurl
public import FreshetHTTP

extension CurlTransport {
    /// What holds for all requests of a transport; what holds for one is in `TransferOptions`.
    public struct Configuration: Sendable {
        public var addresses = Addresses()
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
        /// How long a connection is kept that carries nothing. It counts in whole seconds.
        public var idleTimeout: Duration = .seconds(60)
        /// How long a connection is used again at all; `nil` is for ever.
        public var maximumAge: Duration?

        public init() {}
    }

    /// Where origins are found.
    public struct Addresses: Sendable {
        /// Who is asked for the addresses of names.
        public var resolver: any Resolver = SystemResolver()
        /// What holds whatever the resolver says: the addresses of a host, or of one of its ports as `host:port`, as
        /// curl's `--resolve` sets them.
        public var overrides: [String: [String]] = [:]
        /// How long addresses hold. Connections that are kept outlive it.
        public var timeToLive: Duration = .seconds(60)
        /// How long a name that was not resolved is not asked for again.
        public var failureTimeToLive: Duration = .seconds(1)
        /// The socket in the file system that stands for a server, as `/var/run/docker.sock` may for `http://docker`.
        public var unixSockets: [Origin: String] = [:]
        /// The socket that stands for all servers that are not among those.
        public var unixSocket: String?
        /// The address of this machine to connect from.
        public var localAddress: String?
        /// The network interface to connect over, if ``localAddress`` says nothing.
        public var interface: String?

        public init() {}

        /// For libcurl, which must not resolve a name here.
        var device: String? { localAddress.map { "host!\($0)" } ?? interface.map { "if!\($0)" } }
    }
}

extension CurlTransport {
    static func environment(_ name: String) -> String? {
        // It is given back to where it was taken from.
        CurlLibrary.start()
        guard let value = curl_getenv(name) else { return nil }
        defer { curl_free(value) }
        return value.pointee == 0 ? nil : String(cString: value)
    }
}
