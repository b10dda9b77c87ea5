extension StoreLocation {
    /// `text` without the password before its host. The user name stays.
    static func withoutPassword(_ text: String) -> String {
        guard let slashes = text.firstRange(of: "://") else { return text }
        let start = slashes.upperBound
        // A password that is not percent-encoded may contain a slash.
        guard let at = text[start...].prefix(while: { $0 != "?" }).lastIndex(of: "@") else { return text }
        let user = text[start..<at].prefix { $0 != ":" }
        return text[..<start] + (user.isEmpty ? "" : user + "@") + text[text.index(after: at)...]
    }
}
