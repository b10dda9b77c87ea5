import FreshetHTTP
import Glibc

extension Origin {
    /// Whether the origin is an address that only this machine or its network can reach: a loopback, link-local or private one.
    /// Host names are not resolved. Source: RFC 1918, RFC 3927, RFC 4193, RFC 4291 section 2.5.6, RFC 6598.
    var isPrivate: Bool {
        if isLoopback { return true }
        if host.hasPrefix("["), host.hasSuffix("]") {
            var address = in6_addr()
            // A zone, as in fe80::1%25eth0, says through which network the address is reached (RFC 6874).
            let text = String(host.dropFirst().dropLast().prefix { $0 != "%" })
            guard inet_pton(AF_INET6, text, &address) == 1 else { return false }
            return withUnsafeBytes(of: address) { bytes in
                // ::ffff:a.b.c.d and ::a.b.c.d are IPv4 addresses.
                let isMapped = bytes[10] == 0xFF && bytes[11] == 0xFF
                if bytes.prefix(10).allSatisfy({ $0 == 0 }), isMapped || (bytes[10] == 0 && bytes[11] == 0) {
                    return Self.isPrivate(Array(bytes.suffix(4)))
                }
                return bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
            }
        }
        var address = in_addr()
        // Unlike `inet_pton`, this knows the short and the hexadecimal forms, which a connection accepts too.
        guard inet_aton(host, &address) == 1 else { return false }
        return withUnsafeBytes(of: address) { Self.isPrivate(Array($0)) }
    }

    /// - Parameter bytes: the four bytes of an IPv4 address.
    private static func isPrivate(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (192, 168), (169, 254): true
        case (172, 16...31), (100, 64...127): true
        default: false
        }
    }
}
