extension RequestBody {
    /// Text in UTF-8, of the type `text/plain; charset=utf-8`.
    public static func text(_ text: String) -> RequestBody {
        .bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8")
    }

    /// Text in another charset, which the `Content-Type` names.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` if the charset lacks a character of the text.
    public static func text(_ text: String, charset: Charset) throws -> RequestBody {
        guard let bytes = charset.encode(text) else {
            throw HTTPClientError(
                .invalidRequest, phase: .preparing,
                message: "the charset \(charset.name) has no character for one of the text's",
                recoverySuggestion: "send it as UTF-8",
                isUnsent: true)
        }
        return .bytes(bytes, contentType: "text/plain; charset=\(charset.name)")
    }
}
