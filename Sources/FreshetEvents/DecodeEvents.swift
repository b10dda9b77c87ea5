public import FoundationEssentials
public import FreshetCore
public import FreshetHTTP

extension ServerSentEvent {
    /// Decodes the data, as JSON unless `decoder` is set.
    ///
    /// - Throws: `HTTPClientError` with code `decoding`.
    public func decoded<Value: Decodable>(
        _ type: Value.Type = Value.self, using decoder: any BodyDecoder = JSONDecoder()
    ) throws -> Value {
        do {
            return try decoder.decode(type, from: Data(data.utf8))
        } catch {
            throw HTTPClientError(
                .decoding, phase: .decoding, origin: origin,
                message:
                    "the data of an event, \(data.utf8.count) bytes, \(decoder is JSONDecoder ? "is not the JSON of" : "can't be decoded as") \(type)"
                    + ((error as? DecodingError).map { ": \($0.words(in: [UInt8](data.utf8)))" } ?? ""),
                recoverySuggestion: "see the underlying error, and leave out events of other types",
                underlying: error)
        }
    }
}

extension ObservableType where Element == ServerSentEvent {
    /// Decodes the data of each event, as JSON unless `decoder` is set. Data that can't be decoded ends the stream with code
    /// `decoding`.
    ///
    ///     EventSource(question, by: client, settings: .response(terminator: "[DONE]"))
    ///         .decode(Piece.self)
    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, using decoder: any BodyDecoder = JSONDecoder()
    ) -> Observable<Value> {
        map { try $0.decoded(type, using: decoder) }
    }
}
