extension RequestBody {
    /// Names and values as a form is sent, `name=value&…`, of the type `application/x-www-form-urlencoded`. Source: the URL
    /// standard's section 5, RFC 6749 appendix B.
    public static func form(_ fields: [(name: String, value: String)]) -> RequestBody {
        .bytes(Array(formEncoded(fields).utf8), contentType: "application/x-www-form-urlencoded")
    }

    /// One name or value of a form: letters, digits and `-._*` as they are, a space as `+`, everything else of its UTF-8
    /// percent-encoded.
    public static func formEncoded(_ text: String) -> String {
        PercentEncoding.encoded(text, keeping: " -._*").replacing(" ", with: "+")
    }

    /// Names and values in one text: what ``form(_:)`` sends.
    public static func formEncoded(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(formEncoded($0.name))=\(formEncoded($0.value))" }.joined(separator: "&")
    }
}
