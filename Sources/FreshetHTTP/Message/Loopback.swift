import Glibc

extension Origin {
    /// Whether the origin is this machine, whatever a name server says: an address of 127.0.0.0/8, `::1`, `localhost`, or a
    /// name that ends in `.localhost`. Source: RFC 6761 section 6.3, RFC 5735 section 3, RFC 4291 section 2.5.3.
    ///
    /// An address counts only in its usual form. `127.1` and `0x7f000001`, which some resolvers accept, do not count.
    public var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        if host.hasPrefix("["), host.hasSuffix("]") {
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else { return false }
            return withUnsafeBytes(of: address) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
        }
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else { return false }
        return withUnsafeBytes(of: address) { $0.first == 127 }
    }

    /// Whether anybody on the network path can read the requests to the origin: plain http to another machine.
    public var isExposed: Bool { scheme == "http" && !isLoopback }
}
