extension StoreLocation {
    /// `text` as it may be shown: of a user and a password before a host, the user is left.
    static func withoutPassword(_ text: String) -> String {
        guard let slashes = text.firstRange(of: "://") else { return text }
        let start = slashes.upperBound
        // A password that has no business in a URL as it is may hold a slash.
        guard let at = text[start...].prefix(while: { $0 != "?" }).lastIndex(of: "@") else { return text }
        let user = text[start..<at].prefix { $0 != ":" }
        return text[..<start] + (user.isEmpty ? "" : user + "@") + text[text.index(after: at)...]
    }
}
