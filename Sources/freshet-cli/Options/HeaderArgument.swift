import ArgumentParser
import Freshet

/// An argument of the form `Name: value`. As in curl, `Name:` leaves the field out, and `Name;` sends it without a value. The
/// parser accepts any text, because its own error would repeat the text, which may hold a secret.
struct HeaderArgument: ExpressibleByArgument {
    private let text: String

    init?(argument: String) {
        text = argument
    }

    func validate() throws {
        if text.hasPrefix("@") {
            throw ValidationError("-H reads no file; write -H 'Name: value' for each header field")
        }
        guard !name.isEmpty, name.count < text.count else {
            throw ValidationError("a header has no name or no colon; write -H 'Name: value'")
        }
    }

    var name: String {
        text.contains(":") || !text.hasSuffix(";") ? String(text.prefix { $0 != ":" }) : String(text.dropLast())
    }
    var value: String { String(text.dropFirst(name.count + 1)) }
    /// Whether the field is not sent, even if another option would add it.
    var isOmitted: Bool { text.contains(":") && value.allSatisfy(\.isWhitespace) }
}

extension [HeaderArgument] {
    /// Removes the fields that are left out from `fields`. The transport would add its own `Accept`, `Accept-Encoding` and
    /// `User-Agent`; those stay, without a value.
    func omit(from fields: inout HTTPFields) {
        for header in self where header.isOmitted {
            guard let name = HTTPField.Name(header.name), ![.accept, .acceptEncoding, .userAgent].contains(name) else {
                continue
            }
            fields[name] = nil
        }
    }
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
