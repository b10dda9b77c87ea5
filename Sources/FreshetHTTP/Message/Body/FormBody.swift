extension RequestBody {
    /// Names and values in the encoding of a form, `name=value&…`, with the type `application/x-www-form-urlencoded`. Source:
    /// the URL standard's section 5, RFC 6749 appendix B.
    public static func form(_ fields: [(name: String, value: String)]) -> RequestBody {
        .bytes(Array(formEncoded(fields).utf8), contentType: "application/x-www-form-urlencoded")
    }

    /// Encodes one name or value of a form: letters, digits and `-._*` stay, a space becomes `+`, and all other UTF-8 bytes are
    /// percent-encoded.
    public static func formEncoded(_ text: String) -> String {
        PercentEncoding.encoded(text, keeping: " -._*").replacing(" ", with: "+")
    }

    /// Encodes names and values as one text, which is what ``form(_:)`` sends.
    public static func formEncoded(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(formEncoded($0.name))=\(formEncoded($0.value))" }.joined(separator: "&")
    }

    /// Decodes one name or value of a form: the inverse of ``formEncoded(_:)-(String)``.
    ///
    /// - Returns: `nil` if two hexadecimal digits do not follow each `%`, or if the decoded bytes are not UTF-8.
    public static func formDecoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
                guard digits.count == 2 else { return nil }
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
