/// Cookies by domain, as a value.
struct CookieStorage: Sendable {
    private struct Kept {
        var cookie: Cookie
        /// When the cookie first arrived, and when it was last used, counted in steps of the jar.
        var created: UInt64
        var used: UInt64
    }

    private var storage: [String: [Kept]] = [:]
    private var count = 0
    private var step: UInt64 = 0

    mutating func put(_ cookie: Cookie, at now: Double) {
        step += 1
        var kept = Kept(cookie: cookie, created: step, used: step)
        if let index = index(of: cookie) {
            kept.created = storage[cookie.domain]![index].created
            if cookie.isExpired(at: now) { return remove(at: index, of: cookie.domain) }
            storage[cookie.domain]![index] = kept
            return
        }
        guard !cookie.isExpired(at: now) else { return }
        storage[cookie.domain, default: []].append(kept)
        count += 1
        if storage[cookie.domain]!.count > CookieJar.limits.perDomain { makeRoom([cookie.domain], at: now) }
        if count > CookieJar.limits.total { makeRoom(Array(storage.keys), at: now) }
    }

    mutating func remove(_ cookie: Cookie) {
        if let index = index(of: cookie) { remove(at: index, of: cookie.domain) }
    }

    func all(at now: Double) -> [Cookie] {
        storage.values.joined().filter { !$0.cookie.isExpired(at: now) }.sorted { $0.created < $1.created }
            .map(\.cookie)
    }

    mutating func cookies(for url: RequestURL, at now: Double) -> [Cookie] {
        guard count > 0 else { return [] }
        step += 1
        var found: [Kept] = []
        for domain in Self.domains(above: url.host) {
            guard let kept = storage[domain] else { continue }
            for index in kept.indices
            where kept[index].cookie.matches(url) && !kept[index].cookie.isExpired(at: now) {
                storage[domain]![index].used = step
                found.append(kept[index])
            }
        }
        found.sort {
            let lengths = ($0.cookie.path.utf8.count, $1.cookie.path.utf8.count)
            return lengths.0 == lengths.1 ? $0.created < $1.created : lengths.0 > lengths.1
        }
        return found.map(\.cookie)
    }

    /// Whether `cookie` would hide a secure cookie. Source: draft-ietf-httpbis-rfc6265bis section 5.7, step 11.
    func holdsSecure(like cookie: Cookie, at now: Double) -> Bool {
        storage.values.joined().contains { kept in
            let other = kept.cookie
            return other.isSecure && other.name == cookie.name && !other.isExpired(at: now)
                && (Cookie.host(other.domain, isIn: cookie.domain) || Cookie.host(cookie.domain, isIn: other.domain))
                && Cookie.path(cookie.path, isIn: other.path)
        }
    }

    /// The cookie that `cookie` replaces. Source: draft-ietf-httpbis-rfc6265bis section 5.7.
    private func index(of cookie: Cookie) -> Int? {
        storage[cookie.domain]?.firstIndex { kept in
            kept.cookie.name == cookie.name && kept.cookie.path == cookie.path
                && kept.cookie.isHostOnly == cookie.isHostOnly
        }
    }

    private mutating func remove(at index: Int, of domain: String) {
        storage[domain]!.remove(at: index)
        if storage[domain]!.isEmpty { storage[domain] = nil }
        count -= 1
    }

    /// Removes expired cookies. If there are none, removes the least recently used cookie.
    private mutating func makeRoom(_ domains: [String], at now: Double) {
        let before = count
        var oldest: (domain: String, index: Int, used: UInt64)?
        for domain in domains {
            let left = storage[domain]!.filter { !$0.cookie.isExpired(at: now) }
            count -= storage[domain]!.count - left.count
            storage[domain] = left.isEmpty ? nil : left
            for (index, kept) in left.enumerated() where oldest.map({ kept.used < $0.used }) ?? true {
                oldest = (domain, index, kept.used)
            }
        }
        if count == before, let oldest { remove(at: oldest.index, of: oldest.domain) }
    }

    /// The host and the domains above it: `a.b.c`, `b.c`, `c`.
    private static func domains(above host: String) -> [String] {
        guard !HostName.isAddress(host) else { return [host] }
        var domains = [host]
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            domains.append(String(rest))
        }
        return domains
    }
}
