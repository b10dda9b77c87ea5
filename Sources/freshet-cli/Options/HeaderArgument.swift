import ArgumentParser
import Freshet

/// `Name: value` as an argument. It takes any text, for the parser's own complaint would repeat it, and it may hold a
/// secret.
struct HeaderArgument: ExpressibleByArgument {
    private let text: String

    init?(argument: String) {
        text = argument
    }

    func validate() throws {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
            throw ValidationError("a header has no name or no colon; write -H 'Name: value'")
        }
    }

    var name: String { String(text.prefix { $0 != ":" }) }
    var value: String { String(text.drop { $0 != ":" }.dropFirst()) }
}

extension HTTPFields {
    /// Adds a field as somebody wrote it.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for what HTTP does not allow. HTTPTypes would replace it
    ///   silently.
    mutating func append(_ name: String, _ value: String) throws {
        guard let fieldName = HTTPField.Name(name) else {
            throw Self.refusal("a header's name holds a character that is not allowed in one")
        }
        let trimmed = value.utf8.drop { $0 == 0x20 || $0 == 0x09 }.reversed().drop { $0 == 0x20 || $0 == 0x09 }
            .reversed()
        guard HTTPField.isValidValue(Array(trimmed)) else {
            throw Self.refusal(
                "the value of the header \(name) holds CR, LF, NUL or another control character", "remove it")
        }
        append(HTTPField(name: fieldName, value: Array(trimmed)))
    }

    private static func refusal(
        _ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion = "check it"
    ) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, message: message, recoverySuggestion: recoverySuggestion, isUnsent: true
        )
    }
}
