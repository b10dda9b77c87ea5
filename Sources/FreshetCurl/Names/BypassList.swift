import FreshetHTTP
import Glibc

/// The hosts that are reached without a proxy, by the rules of curl's `NO_PROXY`.
///
/// Commas or blanks separate the entries. An entry is a name, which also stands for all names below it; an address; a
/// network such as `10.0.0.0/8`; or `*` for all hosts.
struct BypassList {
    private var names: [String] = []
    private var networks: [(address: [UInt8], bits: Int)] = []
    private var isEverything = false

    init(_ text: String) {
        for entry in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            if entry == "*" {
                isEverything = true
            } else if let network = Self.network(entry) {
                networks.append(network)
            } else {
                let name = HostName.normalized(
                    String(Self.withoutDot(entry.hasPrefix(".") ? entry.dropFirst() : entry)))
                if !name.isEmpty { names.append(name) }
            }
        }
    }

    /// - Parameter host: a name or an address, without brackets.
    func contains(_ host: String) -> Bool {
        if isEverything { return true }
        if let address = Self.bytes(host) {
            return networks.contains { Self.isEqual($0.address, address, bits: $0.bits) }
        }
        let host = Self.withoutDot(host[...]).lowercased()
        return names.contains { host == $0 || host.hasSuffix(".\($0)") }
    }

    private static func withoutDot(_ name: Substring) -> Substring {
        name.hasSuffix(".") ? name.dropLast() : name
    }

    private static func network(_ entry: Substring) -> (address: [UInt8], bits: Int)? {
        let parts = entry.split(separator: "/", maxSplits: 1)
        guard let first = parts.first else { return nil }
        let text = first.hasPrefix("[") ? first.dropFirst().prefix { $0 != "]" } : first
        guard let address = bytes(String(text)) else { return nil }
        guard parts.count == 2 else { return (address, address.count * 8) }
        guard let bits = Int(parts[1]), (0...address.count * 8).contains(bits) else { return nil }
        return (address, bits)
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var six = in6_addr()
        // The zone of an address names a link, and is not part of the address.
        let address = String(text.prefix { $0 != "%" })
        if inet_pton(AF_INET6, address, &six) == 1 { return withUnsafeBytes(of: six) { Array($0) } }
        return nil
    }

    private static func isEqual(_ left: [UInt8], _ right: [UInt8], bits: Int) -> Bool {
        guard left.count == right.count, left.prefix(bits / 8) == right.prefix(bits / 8) else { return false }
        guard bits % 8 > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (bits % 8))
        return left[bits / 8] & mask == right[bits / 8] & mask
    }
}
