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
        if text.utf8.first == UInt8(ascii: "@") {
            throw ValidationError("-H reads no file; write -H 'Name: value' for each header field")
        }
        guard let separator, separator != text.startIndex else {
            throw ValidationError("a header has no name or no colon; write -H 'Name: value'")
        }
    }

    /// The colon, or the semicolon at the end of a text without one. It is found by its byte, because a mark after it would
    /// combine with it to another character.
    private var separator: String.Index? { colon ?? text.utf8.lastIndex(of: UInt8(ascii: ";")).flatMap(whereTextEnds) }
    private var colon: String.Index? { text.utf8.firstIndex(of: UInt8(ascii: ":")) }

    private func whereTextEnds(after index: String.Index) -> String.Index? {
        text.utf8.index(after: index) == text.endIndex ? index : nil
    }

    var name: String { String(text[..<(separator ?? text.endIndex)]) }
    var value: String { separator.map { String(text[text.utf8.index(after: $0)...]) } ?? "" }
    /// Whether the field is not sent, even if another option would add it.
    var isOmitted: Bool { colon != nil && value.unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}

extension [HeaderArgument] {
    /// The names of the fields that are not sent.
    var omittedNames: [HTTPField.Name] { filter(\.isOmitted).compactMap { HTTPField.Name($0.name) } }

    /// Removes the empty fields that have kept other options from adding theirs. As in curl, a value that is given beside one
    /// stays. An empty `Accept`, `Accept-Encoding` or `User-Agent` stays if there is no value, because it keeps the transport from
    /// adding its own. Of these, the transport sends an empty `Accept-Encoding`.
    func omit(from fields: inout HTTPFields) {
        for name in omittedNames {
            let values = fields[fields: name].filter { !$0.value.isEmpty }
            if values.isEmpty, [.accept, .acceptEncoding, .userAgent].contains(name) { continue }
            fields[fields: name] = values
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
            throw HTTPClientError.refusal("a header's name holds a character that is not allowed in one", "check it")
        }
        let trimmed = value.utf8.drop { $0 == 0x20 || $0 == 0x09 }.reversed().drop { $0 == 0x20 || $0 == 0x09 }
            .reversed()
        guard HTTPField.isValidValue(Array(trimmed)) else {
            throw HTTPClientError.refusal(
                "the value of the header \(name) holds CR, LF, NUL or another control character", "remove it")
        }
        append(HTTPField(name: fieldName, value: Array(trimmed)))
    }
}
