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
}
