public import FoundationEssentials
public import FreshetCore
import HTTPTypes

extension PrimitiveSequenceType where Trait == SingleTrait, Element == Response {
    /// Decodes the body from JSON. A body that can't be decoded is an error with code `decoding`, whose `response` is this
    /// response.
    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, using decoder: JSONDecoder = JSONDecoder()
    ) -> Single<Value> {
        map { try $0.decoded(type, using: decoder) }
    }
}

extension Response {
    /// Decodes the body from JSON.
    ///
    /// - Throws: ``HTTPClientError`` with code `decoding`.
    public func decoded<Value: Decodable>(
        _ type: Value.Type = Value.self, using decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        do {
            return try decoder.decode(type, from: Data(body))
        } catch {
            throw HTTPClientError(
                .decoding, phase: .decoding, origin: url.origin.description,
                message: "the body of the \(status.code) response is not the JSON of \(type)"
                    + ((error as? DecodingError).map { ": \($0.words(in: body))" } ?? ""),
                recoverySuggestion: "see the response",
                underlying: error, response: self)
        }
    }
}
