import FreshetHTTP

/// The realms of the paths of each origin, learned from challenges.
///
/// The realm of a challenge applies to all paths at the depth of its request and below. Source: RFC 9110 section 11.5, RFC 7617
/// section 2.2.
struct ProtectionSpaces {
    /// The largest number of paths for each origin. When it is reached, the origin's paths are learned again.
    private static let limit = 256
    /// The realms by origin and by path. Each path ends with a slash.
    private var realms: [Origin: [Substring: String]] = [:]

    mutating func learn(_ realm: String, of url: RequestURL) {
        var known = realms[url.origin] ?? [:]
        if known.count >= Self.limit { known = [:] }
        known[Self.folder(of: url.path[...])] = realm
        realms[url.origin] = known
    }

    /// Returns the realm of the deepest known path that contains `url`.
    func realm(of url: RequestURL) -> String? {
        guard let known = realms[url.origin] else { return nil }
        var folder = Self.folder(of: url.path[...])
        while !folder.isEmpty {
            if let realm = known[folder] { return realm }
            folder = Self.folder(of: folder.dropLast())
        }
        return nil
    }

    /// Returns the path up to and including its last slash.
    private static func folder(of path: Substring) -> Substring {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
    }
}
