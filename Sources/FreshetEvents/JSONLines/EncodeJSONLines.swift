public import FoundationEssentials
public import FreshetCore
public import FreshetHTTP

extension ObservableType where Element: Encodable {
    /// Each element as a line of NDJSON, with its LF. A pause goes to the source.
    ///
    /// Fails with code `invalidRequest` at what JSON can't say, and if the encoder writes more than a line.
    public func encodedAsJSONLines(using encoder: JSONEncoder = JSONEncoder()) -> Observable<[UInt8]> {
        map { try JSONLineEncoding(encoder: encoder).line(of: $0) }
    }
}

extension RequestBody {
    /// What a stream yields as NDJSON, of the type `application/x-ndjson`: each value is encoded as it goes out, and none is
    /// asked for while the network is behind.
    ///
    ///     client.post(url, body: .jsonLines(readings))
    ///
    /// - Parameters:
    ///   - values: subscribed to as the request goes out.
    ///   - isReplayable: whether each subscription gets all of it; see `stream(_:length:isReplayable:contentType:)`.
    ///   - encoder: writes a value in one line.
    public static func jsonLines<Values: ObservableType>(
        _ values: Values, isReplayable: Bool = false, using encoder: JSONEncoder = JSONEncoder()
    ) -> RequestBody where Values.Element: Encodable {
        .stream(
            values.encodedAsJSONLines(using: encoder), isReplayable: isReplayable, contentType: "application/x-ndjson")
    }

    /// The same of values that are there: encoded now, of known length, to be sent as often as it takes.
    ///
    /// - Throws: `HTTPClientError` with code `invalidRequest` for what JSON can't say.
    public static func jsonLines(
        _ values: some Sequence<some Encodable>, using encoder: JSONEncoder = JSONEncoder()
    ) throws -> RequestBody {
        let encoding = JSONLineEncoding(encoder: encoder)
        let bytes = try values.reduce(into: [UInt8]()) { $0 += try encoding.line(of: $1) }
        return .bytes(bytes, contentType: "application/x-ndjson")
    }
}

private struct JSONLineEncoding: Sendable {
    let encoder: JSONEncoder

    func line(of value: some Encodable) throws -> [UInt8] {
        let text: Data
        do {
            text = try encoder.encode(value)
        } catch {
            throw failure("a value can't be written as JSON", "see the underlying error, or set the encoder", error)
        }
        if text.contains(.lineFeed) {
            throw failure("the encoder writes a value in many lines", "turn pretty printing off")
        }
        return text + [.lineFeed]
    }

    private func failure(
        _ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion, _ error: (any Error)? = nil
    ) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, message: message, recoverySuggestion: recoverySuggestion,
            underlying: error)
    }
}
