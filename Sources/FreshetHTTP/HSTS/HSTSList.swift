import HTTPTypes

/// The hosts that are contacted only over https, as a value. Source: RFC 6797.
struct HSTSList: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        var includesSubdomains: Bool
        /// In seconds since 1970; infinity means without end.
        var end: Double
    }

    /// The largest number of entries. Beyond it, the oldest entries are removed. Source: curl's limit.
    static let limit = 10_000

    /// By their names in lower case, without a dot at the end.
    private(set) var entries: [String: Entry] = [:]

    /// Whether requests to `host` use https. Source: RFC 6797 section 8.2.
    func contains(_ host: String, at now: Double) -> Bool {
        let host = Self.normalized(host)
        if let entry = entries[host], entry.end > now { return true }
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let entry = entries[String(rest)], entry.includesSubdomains, entry.end > now { return true }
        }
        return false
    }

    /// Updates the list from a response of `host` that arrived over TLS without an error. Only the first field counts.
    ///
    /// - Returns: whether the list has changed.
    mutating func learn(_ fields: HTTPFields, from host: String, at now: Double) -> Bool {
        guard let line = fields[values: .strictTransportSecurity].first, !HostName.isAddress(host),
            let policy = Self.policy(line)
        else { return false }
        let host = Self.normalized(host)
        let before = entries[host]
        if policy.lifetime == 0 {
            entries[host] = nil
        } else {
            add(Entry(includesSubdomains: policy.includesSubdomains, end: now + policy.lifetime), for: host)
            removeOldest()
        }
        return entries[host] != before
    }

    /// Adds an entry. The caller calls ``removeOldest()`` when it has added all.
    mutating func add(_ entry: Entry, for host: String) {
        let host = Self.normalized(host)
        guard !host.isEmpty, !HostName.isAddress(host) else { return }
        entries[host] = entry
    }

    /// Removes the entries beyond the limit. All at once, because each search reads the whole list, and a file can be long.
    mutating func removeOldest() {
        let surplus = entries.count - Self.limit
        if surplus == 1, let oldest = entries.min(by: { $0.value.end < $1.value.end }) {
            entries[oldest.key] = nil
        } else if surplus > 1 {
            let oldest = entries.sorted { $0.value.end < $1.value.end }.prefix(surplus)
            for entry in oldest { entries[entry.key] = nil }
        }
    }

    /// Source: RFC 6797 section 6.1. A directive that occurs twice, or text that is no directive, makes the field invalid.
    private static func policy(_ line: String) -> (lifetime: Double, includesSubdomains: Bool)? {
        var (rest, lifetime, includesSubdomains, seen) = (line[...], Double?.none, false, Set<String>())
        // No quantifier gives back what it has matched, because a server could make the time grow with the square of the length.
        let directive =
            #/[ \t]*+([^ \t;=",]*+)[ \t]*+(?:=[ \t]*+("(?:[^"\\]|\\.)*+"|[^ \t;",]*+)[ \t]*+)?+(?:;|\z)/#
        while !rest.isEmpty {
            guard let match = rest.prefixMatch(of: directive) else { return nil }
            rest = rest[match.range.upperBound...]
            let name = match.1.lowercased()
            guard !name.isEmpty || match.2 == nil else { return nil }
            guard name.isEmpty || seen.insert(name).inserted else { return nil }
            switch name {
            case "max-age":
                guard let text = match.2?.filter({ $0 != "\"" }), text.isDigits else { return nil }
                lifetime = min(Double(text) ?? .infinity, 1e10)
            case "includesubdomains": includesSubdomains = true
            default: break
            }
        }
        return lifetime.map { ($0, includesSubdomains) }
    }

    private static func normalized(_ host: String) -> String {
        let lower = host.lowercased()
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }
}
