import FoundationEssentials
public import FreshetCore
public import FreshetHTTP

extension ServerSentEvent {
    /// Decodes the data, as JSON unless `decoder` is set.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - decoder: decodes the data; `nil` is the decoder of the client whose ``EventSource`` the event came from, or JSON.
    /// - Throws: `HTTPClientError` with code `decoding`.
    public func decoded<Value: Decodable>(
        _ type: Value.Type = Value.self, using decoder: (any BodyDecoder)? = nil
    ) throws -> Value {
        let decoder = decoder ?? kind?.decoder ?? JSONDecoder()
        do {
            return try decoder.decode(type, from: Data(data.utf8))
        } catch {
            var failure = HTTPClientError.undecodable(
                "the data of an event, \(data.utf8.count) bytes,", [UInt8](data.utf8), as: type, using: decoder, error,
                origin: origin)
            failure.recoverySuggestion = "see the underlying error, and leave out events of other types"
            throw failure
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
        _ type: Value.Type = Value.self, using decoder: (any BodyDecoder)? = nil
    ) -> Observable<Value> {
        map { try $0.decoded(type, using: decoder) }
    }
}
