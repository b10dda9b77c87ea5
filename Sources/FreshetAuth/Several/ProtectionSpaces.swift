import FreshetHTTP

/// Which realm the paths of an origin belong to, as far as its challenges have told.
///
/// What a challenge says of one path goes for all at its depth and below. Source: RFC 9110 section 11.5, RFC 7617
/// section 2.2.
struct ProtectionSpaces {
    /// A server that has more of them is asked anew.
    private static let limit = 256
    /// Of paths that end with a slash.
    private var realms: [Origin: [Substring: String]] = [:]

    mutating func learn(_ realm: String, of url: RequestURL) {
        var known = realms[url.origin] ?? [:]
        if known.count >= Self.limit { known = [:] }
        known[Self.folder(of: url.path[...])] = realm
        realms[url.origin] = known
    }

    /// The realm of the deepest path that is known.
    func realm(of url: RequestURL) -> String? {
        guard let known = realms[url.origin] else { return nil }
        var folder = Self.folder(of: url.path[...])
        while !folder.isEmpty {
            if let realm = known[folder] { return realm }
            folder = Self.folder(of: folder.dropLast())
        }
        return nil
    }

    /// Up to the last slash, with it.
    private static func folder(of path: Substring) -> Substring {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
    }
}
