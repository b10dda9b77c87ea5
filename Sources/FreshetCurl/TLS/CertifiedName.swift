import FreshetHTTP
import Glibc

extension HostName {
    /// The name by which a certificate is checked. libcurl drops a dot at the end, and writes each form of an IPv4 address as four
    /// numbers, so different origins can be one server.
    static func certified(_ host: String) -> String {
        var name = normalized(host)
        if name.hasSuffix(".") { name.removeLast() }
        var address = in_addr()
        // `inet_aton` accepts anything behind white space.
        guard !name.utf8.contains(where: { $0 <= 0x20 }), inet_aton(name, &address) == 1 else { return name }
        return withUnsafeBytes(of: address) { bytes in bytes.map(String.init).joined(separator: ".") }
    }
}
