import FreshetHTTP

/// How an origin is reached: worked out with its first request, and used by all.
final class Route {
    /// The names and ports to connect to that libcurl has to be told the addresses of.
    let destinations: [Destination]
    let proxy: ProxyServer?
    /// The socket in the file system that stands for the server.
    let socketPath: String?
    /// What the key of the server's certificate has to be.
    let pinnedKeys: String?
    /// Whether requests over plain HTTP go to the proxy itself, and not through a tunnel.
    var asksProxy: Bool { proxy.map { $0.scheme.hasPrefix("http") } ?? false }
    /// Why there is no way.
    let problem: (message: String, recoverySuggestion: HTTPClientError.RecoverySuggestion)?
    /// Whether an easy handle has to be set up for it.
    let isSpecial: Bool

    init(
        destinations: [Destination] = [], proxy: ProxyServer? = nil, socketPath: String? = nil,
        pinnedKeys: String? = nil, problem: (String, HTTPClientError.RecoverySuggestion)? = nil
    ) {
        self.destinations = destinations
        self.proxy = proxy
        self.socketPath = socketPath
        self.pinnedKeys = pinnedKeys
        self.problem = problem
        isSpecial = proxy != nil || socketPath != nil || pinnedKeys != nil
    }

    /// Whom the connection is made to, for those who watch.
    func announcement(for origin: Origin) -> (host: String, addresses: [String]) {
        if let socketPath { return (origin.host, ["unix:\(socketPath)"]) }
        let host = proxy?.host ?? origin.bareHost
        if let destination = destinations.first { return (host, destination.name.addresses) }
        return (host, DNSCache.isAddress(host) || host.contains(":") ? [host] : ["127.0.0.1", "::1"])
    }
}

extension Origin {
    /// An IPv6 address without its brackets.
    var bareHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }
}
