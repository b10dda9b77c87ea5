import FreshetHTTP

/// Tells a connection from the others of its multi. libcurl does not report which socket a request uses, only its local port.
///
/// The local port alone is not enough, because Linux gives one port to connections with different destinations. What is left
/// can't be told apart: the connections of one destination that have no port, and those from one port to several addresses
/// of it.
struct ConnectionIdentity: Hashable {
    private enum Destination: Hashable {
        case origin(Origin)
        /// libcurl uses one connection to an HTTP proxy for several origins, unless it makes tunnels.
        case proxy(ProxyServer)
    }

    private let destination: Destination
    private let port: Int32

    /// - Parameter port: the local port. No port is 0 or -1, because libcurl and the system report it differently.
    init(_ originPool: AdmissionQueue.OriginPool, from port: Int32) {
        self.port = max(0, port)
        if originPool.origin.scheme == "http", let route = originPool.route, route.asksProxy, let proxy = route.proxy {
            destination = .proxy(proxy)
        } else {
            destination = .origin(originPool.origin)
        }
    }
}
