import Freshet

/// Where a profile keeps its credential.
enum StoreLocation {
    case memory
    case file(path: String)
    case redis(url: String)

    /// - Throws: ``HTTPClientError`` with code `store` for a kind of store that is not there.
    init(_ text: String, in section: ConfigurationSection) throws {
        let kind = text.prefix { $0 != ":" }
        let rest = text.dropFirst(kind.count + 1)
        switch kind {
        case "memory": self = .memory
        case "file" where !rest.isEmpty:
            let home = rest.hasPrefix("~/") ? section.environment["HOME"] : nil
            self = .file(path: home.map { $0 + rest.dropFirst() } ?? String(rest))
        case "redis", "redis+unix", "rediss":
            if let reason = RedisStores.refusal(of: text) { throw Self.refusal(reason, nil, section) }
            self = .redis(url: text)
        case "keyring":
            throw Self.refusal("a store of the kind keyring: is not there yet", "use file:PATH or memory:", section)
        default:
            throw Self.refusal(
                "the store is of no known kind", "use file:PATH, redis://HOST:PORT/DB?key=NAME or memory:", section)
        }
    }

    private static func refusal(
        _ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion? = nil,
        _ section: ConfigurationSection
    ) -> HTTPClientError {
        HTTPClientError(
            .store, phase: .preparing, message: "\(section.file): \(section.key("store")): \(message)",
            recoverySuggestion: recoverySuggestion,
            isUnsent: true)
    }
}
