import Foundation
import Freshet

/// An object of the configuration file, with its place in the file. Every error names the file and the key, and never a value.
struct ConfigurationSection {
    let file: String
    /// The keys that lead to this object, such as `profiles.api.refresh`; empty at the top.
    let path: String
    let environment: [String: String]
    private let members: [String: JSONValue]

    init(file: String, path: String, environment: [String: String], _ value: JSONValue) throws {
        self.file = file
        self.path = path
        self.environment = environment
        guard case .object(let members) = value else {
            throw Self.configurationError(file: file, "\(path.isEmpty ? "it" : path) is not an object", "write {...}")
        }
        self.members = members
    }

    var names: [String] { members.keys.sorted() }

    func value(_ name: String) -> JSONValue? {
        if case .null? = members[name] { nil } else { members[name] }
    }

    func section(_ name: String) throws -> ConfigurationSection? {
        try value(name).map {
            try ConfigurationSection(file: file, path: key(name), environment: environment, $0)
        }
    }

    /// Returns a path in member `name`, with the user's folder in place of a `~` before the first slash.
    ///
    /// - Parameter code: the code of the error of a path that can't be expanded.
    func expandingHome(
        _ path: some StringProtocol, in name: String, code: HTTPClientError.Code = .invalidRequest
    ) throws -> String {
        guard path.hasPrefix("~") else { return String(path) }
        guard path.hasPrefix("~/"), let home = environment["HOME"], home.hasPrefix("/") else {
            let reason = path.hasPrefix("~/") ? "needs HOME, which is not set" : "begins with ~ and no slash"
            throw HTTPClientError.refusal("\(file): \(key(name)) \(reason)", "write the whole path", code: code)
        }
        return home + path.dropFirst()
    }

    /// A string as it stands in the file, without replacing its variables.
    func text(_ name: String) -> String? {
        if case .string(let text)? = members[name] { text } else { nil }
    }

    func string(_ name: String) throws -> String? {
        try value(name).map { try string($0, at: name) }
    }

    func required(_ name: String) throws -> String {
        guard let string = try string(name) else { throw configurationError("\(key(name)) is missing", "add it") }
        return string
    }

    /// A list of strings; a lone string is a list of one.
    func strings(_ name: String) throws -> [String]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value else { return [try string(value, at: name)] }
        return try elements.enumerated().map { try string($0.element, at: "\(name)[\($0.offset)]") }
    }

    func integers(_ name: String) throws -> [Int]? {
        guard let value = value(name) else { return nil }
        let elements = if case .array(let elements) = value { elements } else { [value] }
        return try elements.map {
            guard let integer = $0.integer else {
                throw configurationError("\(key(name)) is not a whole number, or a list of them")
            }
            return integer
        }
    }

    func integer(_ name: String) throws -> Int? {
        guard let value = value(name) else { return nil }
        guard let integer = value.integer, integer > 0 else {
            throw configurationError("\(key(name)) is not a whole number above 0")
        }
        return integer
    }

    func bool(_ name: String) throws -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .bool(let truth) = value else { throw configurationError("\(key(name)) is neither true nor false") }
        return truth
    }

    /// A string, with its variables replaced from the environment.
    func string(_ value: JSONValue, at name: String) throws -> String {
        guard case .string(let text) = value else { throw configurationError("\(key(name)) is not a string") }
        return try expanded(text, at: name)
    }

    /// Replaces `$NAME` and `${NAME}` anywhere in `text` by the variable of the environment. `$$` is a dollar sign, and so is a
    /// `$` that precedes no name. A `${` without a name and a `}` is refused, because it would be sent as a part of a secret.
    private func expanded(_ text: String, at name: String) throws -> String {
        var result = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            if rest.first == "$" {
                rest.removeFirst()
                result += "$"
            } else if let (variable, after) = Self.variable(at: rest) {
                guard let value = environment[variable] else {
                    throw configurationError(
                        "\(key(name)) needs the environment variable \(variable), which is not set",
                        "set it, or write $$ for a dollar sign")
                }
                result += value
                rest = after
            } else if rest.first == "{" {
                throw configurationError(
                    "\(key(name)) has a ${ without the name of a variable and a }",
                    "write ${NAME}, or $$ for a dollar sign")
            } else {
                result += "$"
            }
        }
        return result + rest
    }

    /// The names of the variables that ``string(_:)`` replaces in `text`.
    static func variables(in text: String) -> [String] {
        var (names, rest) = ([String](), text[...])
        while let dollar = rest.firstIndex(of: "$") {
            rest = rest[rest.index(after: dollar)...]
            if rest.first == "$" {
                rest.removeFirst()
            } else if let (name, after) = variable(at: rest) {
                names.append(name)
                rest = after
            }
        }
        return names
    }

    private static func variable(at text: Substring) -> (name: String, after: Substring)? {
        let isBraced = text.first == "{"
        let start = isBraced ? text.dropFirst() : text
        let name = start.prefix { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard let first = name.first, !first.isNumber else { return nil }
        let after = start[name.endIndex...]
        if isBraced { return after.first == "}" ? (String(name), after.dropFirst()) : nil }
        return (String(name), after)
    }

    func key(_ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }

    /// - Throws: ``HTTPClientError`` for a key that is not in `known`. Without this check a misspelt key would silently get its
    ///   default.
    func checkNames(_ known: String...) throws {
        for name in names where !known.contains(name) {
            let near = known.filter { name.editDistance(to: $0) <= 3 }
                .min { name.editDistance(to: $0) < name.editDistance(to: $1) }
            throw configurationError(
                "\(key(name)) is unknown",
                near.map { "did you mean \($0)?" } ?? "use one of \(known.joined(separator: ", "))")
        }
    }

    func configurationError(_ text: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion? = "correct it")
        -> HTTPClientError
    {
        Self.configurationError(file: file, text, recoverySuggestion)
    }

    static func configurationError(
        file: String, _ text: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion? = "correct it"
    ) -> HTTPClientError {
        .refusal("\(file): \(text)", recoverySuggestion)
    }
}

extension JSONValue {
    var integer: Int? {
        if case .number(let number) = self { Int(exactly: number) } else { nil }
    }
}
