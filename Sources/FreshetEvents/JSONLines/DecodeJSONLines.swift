public import FoundationEssentials
public import FreshetCore
public import FreshetHTTP

extension ObservableType where Element == [UInt8] {
    /// Decodes NDJSON from bytes that arrive in pieces of any size. Emits one element per line. A malformed line is an element
    /// with its number and its error.
    ///
    /// A line ends with LF or CRLF; the last line may have no end. Empty lines are skipped. Pausing pauses the source.
    ///
    ///     pieces.jsonLines(of: Reading.self)
    ///         .subscribe(onNext: { line in print(line.number, line.result) })
    ///
    /// - Parameters:
    ///   - type: the type of a line's value.
    ///   - limit: the longest line, in bytes. A longer line is skipped, and is an element with code `tooLarge`.
    ///   - decoder: decodes the values. The caller configures it, for example for dates.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, limit: Int = 64 * 1024 * 1024, using decoder: any BodyDecoder = JSONDecoder()
    ) -> Observable<JSONLine<Value>> {
        lift { JSONLinesPieceSink(to: $0, limit: limit, decoder: decoder) }.onOverflow(.buffer(0))
    }
}

extension ObservableType where Element == RequestEvent {
    /// Decodes the body of a response as NDJSON, as it arrives; see `jsonLines(of:limit:using:)` for streams of bytes.
    ///
    /// It accepts responses of any status and any type:
    ///
    ///     client.events(request).validate(statusCodes: 200..<300).jsonLines(of: Reading.self)
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, limit: Int = 64 * 1024 * 1024, using decoder: any BodyDecoder = JSONDecoder()
    ) -> Observable<JSONLine<Value>> {
        lift { JSONLinesBodySink(to: $0, limit: limit, decoder: decoder) }.onOverflow(.buffer(0))
    }
}

/// Parses the pieces of `Input`, and emits the lines until the subscriber has left.
private class JSONLinesSink<Input, Value: Decodable & Sendable>: ClosingOperatorSink<Input, JSONLine<Value>> {
    private var parser: JSONLinesParser
    private let limit: Int
    private let decoder: any BodyDecoder
    /// The origin of the response that contains the bytes, if there is one.
    private var origin = ""

    init(to downstream: Sink<JSONLine<Value>>, limit: Int, decoder: any BodyDecoder) {
        parser = JSONLinesParser(limit: limit)
        self.limit = limit
        self.decoder = decoder
        super.init(to: downstream)
    }

    /// A response from `origin` begins.
    final func begin(from origin: String) {
        self.origin = origin
        // The events can be those of a request that was sent again, and an earlier response has left half a line.
        parser = JSONLinesParser(limit: limit)
    }

    final func parse(_ bytes: [UInt8]) { parser.parse(bytes, emit) }

    final override func completed() {
        parser.finish(emit)
        if !isDisposed { downstream.completed() }
    }

    private func emit(_ line: JSONLinesParser.Line) {
        // The subscriber can leave at any line of a piece, and decoding the others would be in vain.
        if isDisposed { return }
        downstream.next(JSONLine(number: line.number, result: result(of: line)))
    }

    private func result(of line: JSONLinesParser.Line) -> Result<Value, HTTPClientError> {
        guard let text = line.text else {
            return .failure(
                HTTPClientError(
                    .tooLarge, phase: .decoding, origin: origin,
                    message:
                        "line \(line.number) has more than \(limit) bytes and was skipped",
                    recoverySuggestion: "raise the limit if it is right"
                ))
        }
        do {
            return .success(try decoder.decode(Value.self, from: Data(text)))
        } catch {
            return .failure(
                .undecodable(
                    "line \(line.number)", [UInt8](text), as: Value.self, using: decoder, error, origin: origin))
        }
    }
}

private final class JSONLinesPieceSink<Value: Decodable & Sendable>: JSONLinesSink<[UInt8], Value> {
    override func next(_ piece: [UInt8]) { parse(piece) }
}

/// Parses the body of a response.
private final class JSONLinesBodySink<Value: Decodable & Sendable>: JSONLinesSink<RequestEvent, Value> {
    override func next(_ event: RequestEvent) {
        switch event {
        case .head(_, let url): begin(from: url.origin.description)
        case .body(let bytes): parse(bytes)
        default: break
        }
    }
}
