import Foundation
import Freshet

/// The file that holds the profiles.
struct ConfigurationFile {
    let path: String
    private let environment: [String: String]
    private let profiles: ConfigurationSection

    /// - Parameter path: the value of `--config`. Without one the path is `$FRESHET_CONFIG`, or else `freshet/config.json` in
    ///   `$XDG_CONFIG_HOME`, which is `~/.config` if it is not set, and `/etc` if `HOME` is not set either.
    init(path given: String?, environment: [String: String]) throws {
        path = given ?? Self.named("FRESHET_CONFIG", in: environment) ?? Self.standardPath(environment)
        self.environment = environment
        let value: JSONValue
        let repeated: String?
        let bytes: [UInt8]
        do {
            let content = try readAll(from: path, limit: longestOwnFile)
            // Some editors begin a file with a byte order mark.
            bytes = content.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(content.dropFirst(3)) : content
        } catch {
            let advice: HTTPClientError.RecoverySuggestion =
                if given == nil, Self.named("HOME", in: environment) == nil {
                    "set HOME, or name the file with --config or FRESHET_CONFIG"
                } else if (error as? SystemError)?.code == ENOENT {
                    "write it as freshet help login shows, or name another with --config or FRESHET_CONFIG"
                } else if (error as? SystemError)?.code == EACCES {
                    "\(HTTPClientError.RecoverySuggestion.checkMode), or name another with --config or FRESHET_CONFIG"
                } else {
                    "name another with --config or FRESHET_CONFIG"
                }
            throw ConfigurationSection.configurationError(file: path, "it can't be read: \(error)", advice)
        }
        do {
            value = try JSONValue(bytes)
            repeated = try bytes.withUnsafeBufferPointer { bytes in
                var reader = JSONReader(bytes)
                return try Self.repeatedKey(in: &reader, at: "")
            }
        } catch let error as JSONError {
            let lines = bytes[..<error.offset].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let column = String(decoding: lines.last ?? [], as: UTF8.self).count + 1
            throw ConfigurationSection.configurationError(
                file: path, "\(error.message), at line \(max(1, lines.count)), column \(column)")
        }
        if let repeated {
            throw ConfigurationSection.configurationError(file: path, "\(repeated) occurs twice", "leave one out")
        }
        let top = try ConfigurationSection(file: path, path: "", environment: environment, value)
        guard let profiles = try top.section("profiles") else {
            if let name = top.names.first, case .object? = top.value(name),
                top.names.allSatisfy({ $0.editDistance(to: "profiles") > 3 })
            {
                throw top.configurationError(
                    "\(name) is not within profiles", "write {\"profiles\": {\"\(name)\": {...}}}")
            }
            try top.checkNames("profiles")
            throw top.configurationError("profiles is missing", "add it as freshet help login shows")
        }
        self.profiles = profiles
    }

    func profile(_ name: String, isDiscovered: Bool = false) throws -> Profile {
        guard let section = try profiles.section(name) else {
            let names = profiles.names.isEmpty ? "none" : profiles.names.joined(separator: ", ")
            throw profiles.configurationError(
                "there is no profile \(name)", "add it, or name one that is there: \(names)")
        }
        return try Profile(name: name, section, isDiscovered: isDiscovered)
    }

    var names: [String] { profiles.names }

    /// The keys that lead to a member that its object has twice. JSON does not say which of the two counts (RFC 8259, section 4).
    private static func repeatedKey(in reader: inout JSONReader, at path: String) throws -> String? {
        var repeated: String?
        switch try reader.kind() {
        case .object:
            var names: Set<String> = []
            try reader.members { name, reader in
                let key = path.isEmpty ? name : "\(path).\(name)"
                if !names.insert(name).inserted { repeated = repeated ?? key }
                let inner = try repeatedKey(in: &reader, at: key)
                repeated = repeated ?? inner
            }
        case .array:
            try reader.elements { reader in
                let inner = try repeatedKey(in: &reader, at: path)
                repeated = repeated ?? inner
            }
        default: try reader.skip()
        }
        return repeated
    }

    private static func standardPath(_ environment: [String: String]) -> String {
        let home = named("HOME", in: environment).map { $0 + "/.config" } ?? "/etc"
        let directory = named("XDG_CONFIG_HOME", in: environment) ?? home
        return directory + "/freshet/config.json"
    }

    /// The value of an environment variable; `nil` if it is missing or empty.
    private static func named(_ variable: String, in environment: [String: String]) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}
