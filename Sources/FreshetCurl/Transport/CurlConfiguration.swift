import CFreshetCurl
public import FreshetHTTP

extension CurlTransport {
    /// The settings that apply to all requests of a transport. `TransferOptions` has the settings of one request.
    public struct Configuration: Sendable {
        public var addresses = Addresses()
        public var tls = TLS()
        public var proxy = Proxy.none
        public var pool = Pool()

        public init() {}
    }
}

extension CurlTransport.Configuration {
    /// The number of requests that run at once, and the time for which connections are kept.
    ///
    /// A number of transfers below 1 counts as 1.
    public struct Pool: Sendable, Hashable {
        /// The number of ordinary transfers that run to one origin at once. For an origin that speaks HTTP/2 it is at least
        /// 100, because nearly all servers accept so many on one connection (RFC 9113 section 6.5.2).
        public var maximumConnectionsPerOrigin = 64
        /// The number of ordinary transfers that run at once. The transport lowers it while the process has no file
        /// descriptors left.
        public var maximumConnections = 512
        /// The number of long-lived transfers that run at once.
        public var maximumLongLived = 65_536
        /// The number of requests that wait to be admitted. The next request fails with `overloaded`.
        public var queueLimit = 65_536
        /// How long a request waits to be admitted before it fails with `timeout`; `nil` means without limit.
        public var acquireTimeout: Duration?
        /// How long a connection is kept that carries nothing. libcurl counts in whole seconds.
        public var idleTimeout: Duration = .seconds(60)
        /// The age after which a connection is not used again; `nil` means without limit. libcurl counts in whole seconds.
        public var maximumAge: Duration?

        public init() {}
    }

    /// How the transport finds the addresses of origins.
    public struct Addresses: Sendable {
        /// Resolves host names.
        public var resolver: any Resolver = SystemResolver()
        /// The addresses that replace those of the resolver. The key is a host, or a host and a port as `host:port`, as in
        /// curl's `--resolve`. `*:port` stands for every other name at that port.
        public var overrides: [String: [String]] = [:]
        /// How long addresses are used before the resolver is asked again. Kept connections outlive them.
        public var timeToLive: Duration = .seconds(60)
        /// How long the resolver is not asked again for a name that it has not resolved.
        public var failureTimeToLive: Duration = .seconds(1)
        /// The Unix domain sockets that replace connections to servers, by origin: for example `/var/run/docker.sock` for
        /// `http://docker`.
        public var unixSockets: [Origin: String] = [:]
        /// The Unix domain socket for all origins that are not in ``unixSockets``.
        public var unixSocket: String?
        /// The address of this machine that connections are made from.
        public var localAddress: String?
        /// The network interface that connections are made over, if ``localAddress`` is `nil`.
        public var interface: String?

        public init() {}

        /// The value of `CURLOPT_INTERFACE`. The prefix says which of the two it is, so that libcurl resolves no name here.
        var device: String? { localAddress.map { "host!\($0)" } ?? interface.map { "if!\($0)" } }
    }
}

extension CurlTransport {
    static func environment(_ name: String) -> String? {
        // libcurl must allocate and free the value with the same memory functions.
        CurlLibrary.start()
        guard let value = curl_getenv(name) else { return nil }
        defer { curl_free(value) }
        return value.pointee == 0 ? nil : String(cString: value)
    }
}
