import FreshetHTTP

/// Tells a connection from the others of its multi. libcurl does not report which socket a request uses, only its local port.
///
/// The local port alone is not enough, because Linux gives one port to connections with different destinations. Two kinds of
/// connections of one destination still have the same identity: those without a port, and those from one port to several of
/// its addresses.
struct ConnectionIdentity: Hashable {
    private enum Destination: Hashable {
        case origin(Origin)
        /// libcurl uses one connection to an HTTP proxy for several origins, unless it makes tunnels.
        case proxy(ProxyServer)
    }

    private let destination: Destination
    private let port: Int32

    /// - Parameter port: the local port. No port is 0 or -1, because libcurl and the system report it differently.
    init(_ originPool: OriginPool, from port: Int32) {
        self.port = max(0, port)
        if originPool.origin.scheme == "http", let route = originPool.route, route.asksProxy, let proxy = route.proxy {
            destination = .proxy(proxy)
        } else {
            destination = .origin(originPool.origin)
        }
    }
}
