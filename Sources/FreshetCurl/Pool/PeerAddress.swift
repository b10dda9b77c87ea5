import CFreshetCurl

/// The address of the peer of a handle's connection as text. It is cached, because consecutive requests usually have the same
/// peer.
struct PeerAddress {
    private var host: [CChar] = []
    private var port: Int32 = -1
    private var text = ""

    /// - Returns: the address and the port as in a URL.
    mutating func text(of host: UnsafePointer<CChar>?, _ port: Int32) -> String {
        guard let host else { return "" }
        if port != self.port || strcmp(host, self.host) != 0 {
            self.host = Array(UnsafeBufferPointer(start: host, count: strlen(host) + 1))
            self.port = port
            text = Self.text(of: host, port)
        }
        return text
    }

    /// The address of the peer of a socket.
    static func text(of fd: curl_socket_t) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { host in
            let port = freshet_peer(fd, host.baseAddress, host.count)
            return port < 0 ? "" : host.baseAddress.map { text(of: $0, port) } ?? ""
        }
    }

    private static func text(of host: UnsafePointer<CChar>, _ port: Int32) -> String {
        let host = String(cString: host)
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
