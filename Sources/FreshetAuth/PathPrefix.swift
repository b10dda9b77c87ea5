import FreshetHTTP

/// The paths of requests that receive a credential: `/v2` contains `/v2`, `/v2/` and `/v2/a?b`, but not `/v20`.
struct PathPrefix: Sendable {
    /// The prefix in the form of a URL's path, without a slash at its end; empty for all paths.
    private let path: String

    init(_ text: String) {
        var path = text.hasPrefix("/") ? text : "/" + text
        path = (try? RequestURL("http://prefix.invalid\(path)"))?.path ?? path
        while path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    func contains(_ url: RequestURL) -> Bool {
        if path.isEmpty { return true }
        guard url.pathAndQuery.hasPrefix(path), !Self.hasEncodedDots(url.path) else { return false }
        return [nil, "/", "?"].contains(url.pathAndQuery.dropFirst(path.count).first)
    }

    /// Whether the path has an encoded `..`. A server that decodes the path before it looks at its segments, or that ends a
    /// segment at a semicolon, would leave the prefix there.
    private static func hasEncodedDots(_ path: String) -> Bool {
        guard path.contains("%") || path.contains(";") else { return false }
        var decoded = path.lowercased()
        for (code, character) in [("%25", "%"), ("%2e", "."), ("%2f", "/"), ("%5c", "/")] {
            decoded = decoded.replacing(code, with: character)
        }
        return decoded.split(separator: "/").contains { $0 == ".." || $0.hasPrefix("..;") }
    }
}
