import CFreshetCurl

/// How an origin's address is written, which hardly ever changes from one request to the next.
final class PeerNames {
    @exclusivity(unchecked) private var address: [CChar] = []
    @exclusivity(unchecked) private var port: Int32 = 0
    @exclusivity(unchecked) private var text = ""

    /// `address:port`, with brackets around an IPv6 address.
    func text(_ address: UnsafePointer<CChar>, _ port: Int32) -> String {
        let isKnown = self.address.withUnsafeBufferPointer { known in
            known.baseAddress.map { strcmp($0, address) == 0 } ?? false
        }
        if isKnown, port == self.port { return text }
        self.address = [CChar](UnsafeBufferPointer(start: address, count: strlen(address) + 1))
        self.port = port
        let host = String(cString: address)
        text = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        return text
    }
}
