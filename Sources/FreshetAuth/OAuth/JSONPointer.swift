public import FreshetHTTP

/// A place in a JSON document, such as `/errors/0/code`. Source: RFC 6901.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    private let tokens: [String]
    public let description: String

    /// Creates the pointer that is written as `text`, such as `/error/code`.
    ///
    /// - Throws: `HTTPClientError` with code `invalidRequest` if `text` is no JSON Pointer.
    public init(_ text: String) throws {
        guard text.isEmpty || text.hasPrefix("/") else { throw Self.refusal(text, "it has to begin with a slash") }
        description = text
        tokens = try text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { token in
            // `~` is valid only before 0 and 1.
            let escapes = token.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
            guard escapes.allSatisfy({ $0.hasPrefix("0") || $0.hasPrefix("1") }) else {
                throw Self.refusal(text, "~ has to be written as ~0")
            }
            return String(token.replacing("~1", with: "/").replacing("~0", with: "~"))
        }
    }

    /// The name of the top-level member that the pointer leads through; `nil` for the whole document.
    var firstName: String? { tokens.first }

    /// The name of the innermost member that the pointer leads through; `nil` if it leads through none.
    var lastName: String? { tokens.last { Self.index($0) == nil } }

    /// Returns the value at the pointer; `nil` if there is none.
    public func value(in document: JSONValue) -> JSONValue? {
        var value = document
        for token in tokens {
            switch value {
            case .object(let members):
                guard let member = members[token] else { return nil }
                value = member
            case .array(let elements):
                guard let index = Self.index(token), elements.indices.contains(index) else { return nil }
                value = elements[index]
            default:
                return nil
            }
        }
        return value
    }

    /// Returns the index if `token` consists of digits without a leading zero.
    private static func index(_ token: String) -> Int? {
        guard token == "0" || !token.hasPrefix("0"), token.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(token)
    }

    private static func refusal(_ text: String, _ reason: String) -> HTTPClientError {
        HTTPClientError(.invalidRequest, phase: .preparing, message: "\"\(text)\" is no JSON Pointer: \(reason)")
    }
}
