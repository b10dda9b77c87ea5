import ArgumentParser
import Freshet

/// An argument of the form `Name: value`. The parser accepts any text, because its own error would repeat the text, which may
/// hold a secret.
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
    /// Appends a field that the user has written.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a name or value that HTTP does not allow. HTTPTypes would
    ///   replace it silently.
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

    /// Replaces a field by one that the user has written.
    mutating func replace(_ name: HTTPField.Name, with value: String) throws {
        self[name] = nil
        try append(name.rawName, value)
    }

    private static func refusal(
        _ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion = "check it"
    ) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, message: message, recoverySuggestion: recoverySuggestion, isUnsent: true
        )
    }
}
