public import FoundationEssentials
public import FreshetCore
import HTTPTypes

extension PrimitiveSequenceType where Trait == SingleTrait, Element == Response {
    /// Decodes the body. A body that can't be decoded is an error with code `decoding`, whose `response` is this response. An
    /// empty body is `nil` if the type is an optional.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - decoder: decodes the body; `nil` is the decoder of the client that has sent the request.
    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, using decoder: (any BodyDecoder)? = nil
    ) -> Single<Value> {
        map { try $0.decoded(type, using: decoder) }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait, Element == Response {
    /// Decodes the body of the response, if there is one, as the `decode` of a `Single` does.
    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, using decoder: (any BodyDecoder)? = nil
    ) -> Maybe<Value> {
        map { try $0.decoded(type, using: decoder) }
    }
}

extension ObservableType where Element == Response {
    /// Decodes the body of each response, as the `decode` of a `Single` does. The first body that can't be decoded ends the stream.
    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, using decoder: (any BodyDecoder)? = nil
    ) -> Observable<Value> {
        map { try $0.decoded(type, using: decoder) }
    }
}

extension Response {
    /// Decodes the body. An empty body is `nil` if the type is an optional.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - decoder: decodes the body; `nil` is the decoder of the client that has sent the request.
    /// - Throws: ``HTTPClientError`` with code `decoding`.
    public func decoded<Value: Decodable>(
        _ type: Value.Type = Value.self, using decoder: (any BodyDecoder)? = nil
    ) throws -> Value {
        if body.isEmpty, let optional = type as? any OptionalValue.Type, let none = optional.none as? Value {
            return none
        }
        let decoder = decoder ?? coding?.decoder ?? JSONDecoder()
        do {
            return try decoder.decode(type, from: data)
        } catch {
            var failure = HTTPClientError.undecodable(
                "the body of the \(status.code) response", body, as: type, using: decoder, error,
                origin: url.origin.description)
            failure.recoverySuggestion =
                body.isEmpty
                ? "leave out decode, or decode an optional type"
                : suggestionForUnreadableBody ?? "see the response and the underlying error"
            throw failure.about(self)
        }
    }

    /// The suggestion if the body cannot be read because it is still compressed.
    var suggestionForUnreadableBody: HTTPClientError.RecoverySuggestion? {
        headers.contains(.contentEncoding) ? .leaveOutAcceptEncoding : nil
    }

    /// The body as Foundation's type.
    public var data: Data { Data(body) }
}

/// An optional, of which an empty body is `nil`.
private protocol OptionalValue {
    static var none: Self { get }
}

extension Optional: OptionalValue {}
