public import FoundationEssentials
public import FreshetCore
public import FreshetHTTP

extension ObservableType where Element: Encodable {
    /// Encodes each element as a line of NDJSON, with its LF. Pausing pauses the source.
    ///
    /// Fails with code `invalidRequest` if JSON can't express an element, or if the encoder writes more than one line.
    public func encodedAsJSONLines(using encoder: JSONEncoder = JSONEncoder()) -> Observable<[UInt8]> {
        map { try JSONLineEncoding(encoder: encoder).line(of: $0) }
    }
}

extension RequestBody {
    /// A body of NDJSON from a stream, with the type `application/x-ndjson`. Each value is encoded when it is sent, and the
    /// source is paused while the network is behind.
    ///
    ///     client.post(url, body: .jsonLines(readings))
    ///
    /// - Parameters:
    ///   - values: the stream of values. The client subscribes when the request is sent.
    ///   - isReplayable: whether each subscription gets all values; see `stream(_:length:isReplayable:contentType:)`.
    ///   - encoder: encodes a value in one line.
    public static func jsonLines<Values: ObservableType>(
        _ values: Values, isReplayable: Bool = false, using encoder: JSONEncoder = JSONEncoder()
    ) -> RequestBody where Values.Element: Encodable {
        .stream(
            values.encodedAsJSONLines(using: encoder), isReplayable: isReplayable, contentType: "application/x-ndjson")
    }

    /// A body of NDJSON from values in memory. They are encoded in this call, so the length is known and the body can be sent
    /// again.
    ///
    /// - Throws: `HTTPClientError` with code `invalidRequest` if JSON can't express a value.
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
