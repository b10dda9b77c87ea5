extension RequestBody {
    /// Names and values as a form is sent: `name=value&…`. The content type, `application/x-www-form-urlencoded`, is the
    /// request's to say. Source: RFC 6749 appendix B, the URL standard's section 5.
    public static func form(_ fields: [(name: String, value: String)]) -> RequestBody {
        .text(fields.map { "\(formEncoded($0.name))=\(formEncoded($0.value))" }.joined(separator: "&"))
    }

    /// One name or value of a form: letters, digits and `-._*` as they are, a space as `+`, everything else of its UTF-8
    /// percent-encoded.
    public static func formEncoded(_ text: String) -> String {
        PercentEncoding.encoded(text, keeping: " -._*").replacing(" ", with: "+")
    }
}
