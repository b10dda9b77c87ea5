public import FreshetCore
import HTTPTypes

extension Response {
    /// What `Content-Type` says of the body.
    public var mediaType: MediaType? { headers[.contentType].flatMap(MediaType.init) }

    /// The body as text, in the encoding of its byte order mark, or else of the `charset` in `Content-Type`. UTF-8 is
    /// taken where none is named, or one that is not known, and what is no text becomes U+FFFD; see ``decodedText()``.
    public var text: String {
        guard headers.contains(.contentType) || body.first ?? 0 >= 0xEF else {
            return String(decoding: body, as: UTF8.self)
        }
        let (charset, start) = charset
        return (charset ?? .utf8).decode(body[start...])
    }

    /// The same, held to what it says it is.
    ///
    /// - Throws: ``HTTPClientError`` with code `decoding`, if the charset that is named is not known (see ``Charset``) or
    ///   the body does not keep to it.
    public func decodedText() throws -> String {
        let (charset, start) = charset
        guard let charset else {
            throw notText("names a charset that is not known", "take its bytes")
        }
        guard let text = charset.decodeStrictly(body[start...]) else {
            throw notText("is no text in its charset", "take its bytes, or `text`, which replaces what is none")
        }
        return text
    }

    /// The encoding, `nil` if it has a name that is not known, and where the text begins.
    private var charset: (Charset?, start: Int) {
        if let (charset, length) = Charset.marked(at: body) { return (charset, length) }
        return (Charset.named(in: head), 0)
    }

    private func notText(_ problem: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion) -> HTTPClientError
    {
        HTTPClientError(
            .decoding, phase: .decoding, origin: url.origin.description,
            message: "the body of the \(status.code) answer \(problem)", recoverySuggestion: recoverySuggestion,
            response: self)
    }
}

extension Charset {
    /// The one that an answer with this head is said to be in, UTF-8 if nothing is said; `nil` if it is not known.
    static func named(in head: HTTPResponse) -> Charset? {
        guard let label = head.headerFields[.contentType].flatMap(MediaType.init)?["charset"] else { return .utf8 }
        return Charset(label: label)
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait, Element == Response {
    /// The body as text in the charset that it names, else UTF-8; what is none is an error with code `decoding`, whose
    /// `response` is the answer.
    ///
    ///     client.get("https://example.com/motd").validate().text()
    public func text() -> Single<String> {
        map { try $0.decodedText() }
    }

    /// The body as it came, decoded from its content coding.
    public func bytes() -> Single<[UInt8]> {
        map(\.body)
    }
}
