public import FreshetCore
import HTTPTypes

extension Response {
    /// The type of the body, as `Content-Type` states it.
    public var mediaType: MediaType? { headers[.contentType].flatMap(MediaType.init) }

    /// The body as text, in the charset of its byte order mark, or else in the `charset` of `Content-Type`. UTF-8 is used if no
    /// charset is named, or one that is not known. Malformed bytes become U+FFFD; see ``decodedText()``.
    public var text: String {
        guard headers.contains(.contentType) || body.first ?? 0 >= 0xEF else {
            return String(decoding: body, as: UTF8.self)
        }
        let (charset, start) = charset
        return (charset ?? .utf8).decode(body[start...])
    }

    /// The body as text, if all of it is valid in its charset.
    ///
    /// - Throws: ``HTTPClientError`` with code `decoding`, if the charset that is named is not known (see ``Charset``) or the
    ///   body is malformed in it.
    public func decodedText() throws -> String {
        let (charset, start) = charset
        guard let charset else {
            throw notText("names a charset that is not known", "take its bytes")
        }
        guard let text = charset.decodeStrictly(body[start...]) else {
            throw notText("is no text in its charset", "use its bytes, or `text`, which replaces invalid characters")
        }
        return text
    }

    /// The charset, which is `nil` if its name is not known, and the index at which the text begins.
    private var charset: (Charset?, start: Int) {
        if let (charset, length) = Charset.marked(at: body) { return (charset, length) }
        return (Charset.named(in: head), 0)
    }

    private func notText(_ problem: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion) -> HTTPClientError
    {
        HTTPClientError(
            .decoding, phase: .decoding, origin: url.origin.description,
            message: "the body of the \(status.code) response \(problem)",
            recoverySuggestion: suggestionForUnreadableBody ?? recoverySuggestion
        ).about(self)
    }
}

extension Charset {
    /// The charset that a response with this head states. It is UTF-8 if the head states none, and `nil` if it is not known.
    static func named(in head: HTTPResponse) -> Charset? {
        guard let label = head.headerFields[.contentType].flatMap(MediaType.init)?["charset"] else { return .utf8 }
        return Charset(label: label)
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait, Element == Response {
    /// Emits the body as text, in the charset that it names, or else in UTF-8. A malformed body is an error with code
    /// `decoding`, whose `response` is this response.
    ///
    ///     client.get("https://example.com/motd").validate().text()
    public func text() -> Single<String> {
        map { try $0.decodedText() }
    }

    /// Emits the body as it came, decoded from its content coding.
    public func bytes() -> Single<[UInt8]> {
        map(\.body)
    }
}
