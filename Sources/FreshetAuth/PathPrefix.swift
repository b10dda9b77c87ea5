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

    /// Whether a server that decodes the path first finds a segment in it that leads out of the prefix.
    private static func hasEncodedDots(_ path: String) -> Bool {
        path.lowercased().replacing("%2e", with: ".").split(separator: "/").contains("..")
    }
}
