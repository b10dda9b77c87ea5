import FreshetHTTP

/// How an origin is reached. The first request to the origin determines it, and all requests use it.
final class Route {
    /// The destinations whose addresses libcurl has to be given.
    let destinations: [Destination]
    let proxy: ProxyServer?
    /// The Unix domain socket that replaces the connection to the server.
    let socketPath: String?
    /// The keys that the server's certificate may have, in the form that libcurl takes.
    let pinnedKeys: String?
    /// Whether requests over plain HTTP go to the proxy itself and not through a tunnel.
    var asksProxy: Bool { proxy.map { $0.scheme.hasPrefix("http") } ?? false }
    /// Why the origin can't be reached.
    let problem: (message: String, recoverySuggestion: HTTPClientError.RecoverySuggestion)?
    /// Whether an easy handle needs options for this route.
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

    /// The host that the connection is made to, and its addresses, for the receiver.
    func announcement(for origin: Origin) -> (host: String, addresses: [String]) {
        if let socketPath { return (origin.host, ["unix:\(socketPath)"]) }
        let host = proxy?.host ?? origin.bareHost
        if let destination = destinations.first { return (host, destination.name.addresses) }
        return (host, DNSCache.isAddress(host) || host.contains(":") ? [host] : ["127.0.0.1", "::1"])
    }
}

extension Origin {
    /// The host; an IPv6 address is without its brackets.
    var bareHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }
}
