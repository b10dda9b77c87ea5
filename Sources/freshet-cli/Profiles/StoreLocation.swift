import Foundation
import Freshet

/// Where a profile keeps its credential.
enum StoreLocation {
    /// The profile has only fields, and no credential that could be stored.
    case absent(profile: String)
    case memory
    case file(path: String)
    /// A key of Redis, and the path of the file for the metadata that discovery finds; `nil` without a folder for it.
    case redis(url: String, discoveryPath: String?)
    case sealed(path: String, key: any SealingKey)
    /// A key of the kernel's keyring, and the file that is sealed with it.
    case keyring(name: String, path: String)
    /// A credential helper of Docker, the address under which it keeps the record, and the path of the file for the lock.
    case helper(name: String, server: String, path: String)

    /// - Parameter profile: the name of the profile, under which a credential helper keeps the record.
    /// - Throws: ``HTTPClientError`` with code `store` for a kind of store that does not exist, or that lacks its settings.
    init(_ text: String, of profile: String, in section: ConfigurationSection) throws {
        let kind = text.prefix { $0 != ":" }
        let rest = text.dropFirst(kind.count + 1)
        switch kind {
        case "memory": self = .memory
        case "file" where !rest.isEmpty: self = .file(path: try Self.path(rest, in: section))
        case "sealed" where !rest.isEmpty:
            let parts = rest.split(separator: "?", maxSplits: 1)
            guard parts.count == 2, parts[1].hasPrefix("key=") else {
                throw Self.refusal(
                    "a sealed store needs its key", "write sealed:PATH?key=file:PATH, keyring:NAME or credential:NAME",
                    section)
            }
            self = .sealed(
                path: try Self.path(parts[0], in: section), key: try Self.key(parts[1].dropFirst(4), in: section))
        case "redis", "redis+unix", "rediss":
            if let reason = RedisStores.refusal(of: text) { throw Self.refusal(reason, nil, section) }
            self = .redis(
                url: text, discoveryPath: try? Self.statePath("redis-\(Self.encoded(profile)).discovery", section))
        case "keyring" where !rest.isEmpty:
            let name = try Self.name(rest, of: "the store", in: section)
            self = .keyring(name: name, path: try Self.statePath("keyring-\(name).sealed", section))
        case "helper" where rest.hasPrefix("docker-credential-") && rest.count > 18:
            let name = try Self.name(rest.dropFirst(18), of: "the credential helper", in: section)
            let record = Self.encoded(profile)
            self = .helper(
                name: name, server: "https://freshet.invalid/\(record)",
                path: try Self.statePath("helper-\(name)-\(record)", section))
        default:
            throw Self.refusal(
                "the store is of no known kind",
                """
                use file:PATH, sealed:PATH?key=..., keyring:NAME, helper:docker-credential-NAME, \
                redis://HOST:PORT/DB?key=NAME or memory:
                """, section)
        }
    }

    /// What is locked: the path of a file without links, or an address; `nil` for a store in memory.
    var lockedPlace: String? {
        switch self {
        case .file(let path), .sealed(let path, _), .keyring(_, let path), .helper(_, _, let path):
            FileStore.followingLinks(in: path)
        case .redis(let url, _): url
        case .memory, .absent: nil
        }
    }

    /// The path of the file in which the metadata that discovery finds is kept; `nil` keeps nothing.
    var discoveryPath: String? {
        switch self {
        case .file(let path), .sealed(let path, _), .keyring(_, let path), .helper(_, _, let path): path + ".discovery"
        case .redis(_, let path): path
        case .memory, .absent: nil
        }
    }

    /// The name of a profile as a part of an address or of a file's name. Two names never have the same one.
    private static func encoded(_ name: String) -> String {
        // Source: RFC 3986, section 2.3.
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return name.addingPercentEncoding(withAllowedCharacters: unreserved) ?? name
    }

    private static func path(_ text: Substring, in section: ConfigurationSection) throws -> String {
        try section.expandingHome(text, in: "store", code: .store)
    }

    /// - Parameter owner: what has the name.
    private static func name(
        _ text: Substring, of owner: String, in section: ConfigurationSection
    ) throws -> String {
        guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }) else {
            throw refusal(
                "the name of \(owner) has a character that is not allowed", "use ASCII letters, digits, -, _ and .",
                section)
        }
        return String(text)
    }

    private static func key(_ text: Substring, in section: ConfigurationSection) throws -> any SealingKey {
        let rest = text.drop { $0 != ":" }.dropFirst()
        switch text.prefix(while: { $0 != ":" }) {
        case "file" where !rest.isEmpty: return FileSealingKey(path: try path(rest, in: section))
        case "keyring" where !rest.isEmpty: return KeyringSealingKey(name: String(rest))
        case "credential" where !rest.isEmpty:
            let name = try name(rest, of: "the credential", in: section)
            do {
                return try FileSealingKey(credential: name, environment: section.environment)
            } catch {
                throw refusal("\(error)", nil, section)
            }
        default:
            throw refusal(
                "the key of the sealed store is of no known kind", "use file:, keyring: or credential:", section)
        }
    }

    /// The path of a file in the user's folder for state. Source: the XDG base directory specification.
    private static func statePath(_ name: String, _ section: ConfigurationSection) throws -> String {
        if let state = section.environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/freshet/\(name)" }
        guard let home = section.environment["HOME"], home.hasPrefix("/") else {
            throw refusal("the store needs HOME or XDG_STATE_HOME for its file", "set one of them", section)
        }
        return "\(home)/.local/state/freshet/\(name)"
    }

    private static func refusal(
        _ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion? = nil,
        _ section: ConfigurationSection
    ) -> HTTPClientError {
        .refusal("\(section.file): \(section.key("store")): \(message)", recoverySuggestion, code: .store)
    }
}
