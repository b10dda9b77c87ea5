public import FoundationEssentials
public import FreshetCore
public import FreshetHTTP

extension ObservableType where Element == [UInt8] {
    /// The values of NDJSON whose bytes come in pieces, cut anywhere: one value a line, and lines that are none as values
    /// with their number and what is wrong.
    ///
    /// Lines end with LF or CRLF, the last one need not; empty ones are skipped. A pause goes to the source.
    ///
    ///     pieces.jsonLines(of: Reading.self)
    ///         .subscribe(onNext: { line in print(line.number, line.result) })
    ///
    /// - Parameters:
    ///   - type: what a line is decoded to.
    ///   - limit: of a line, in bytes; a longer one is skipped, and is a value with code `tooLarge`.
    ///   - decoder: made ready by the caller, for dates say.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, limit: Int = 64 * 1024 * 1024, using decoder: JSONDecoder = JSONDecoder()
    ) -> Observable<JSONLine<Value>> {
        let pieces = asObservable()
        return .create { observer in
            pieces.subscribe(JSONLinesReader(limit: limit, decoder: decoder, observer: observer))
        }
    }
}

extension ObservableType where Element == RequestEvent {
    /// The values of an answer whose body is NDJSON, as they come; see `jsonLines(of:limit:using:)` of pieces.
    ///
    /// Any status is an answer, and so is any type:
    ///
    ///     client.events(request).validate(statusCodes: 200..<300).jsonLines(of: Reading.self)
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, limit: Int = 64 * 1024 * 1024, using decoder: JSONDecoder = JSONDecoder()
    ) -> Observable<JSONLine<Value>> {
        let events = asObservable()
        return .create { observer in
            let reader = JSONLinesReader(limit: limit, decoder: decoder, observer: observer)
            return events.subscribe(JSONLinesBodyReader(reader))
        }
    }
}

/// Feeds pieces to a parser. Events are serial, so nothing here is guarded.
private final class JSONLinesReader<Value: Decodable & Sendable>: ObserverType {
    private var parser: JSONLinesParser
    private let limit: Int
    private let decoder: JSONDecoder
    private let observer: AnyObserver<JSONLine<Value>>
    /// Where the bytes come from, if they are an answer's.
    var origin = ""

    init(limit: Int, decoder: JSONDecoder, observer: AnyObserver<JSONLine<Value>>) {
        parser = JSONLinesParser(limit: limit)
        self.limit = limit
        self.decoder = decoder
        self.observer = observer
    }

    func on(_ event: Event<[UInt8]>) {
        switch event {
        case .next(let bytes): parser.parse(bytes, emit)
        case .error(let error): observer.onError(error)
        case .completed:
            parser.finish(emit)
            observer.onCompleted()
        }
    }

    private func emit(_ line: JSONLinesParser.Line) {
        observer.onNext(JSONLine(number: line.number, result: result(of: line)))
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
                HTTPClientError(
                    .decoding, phase: .decoding, origin: origin,
                    message: "line \(line.number) is not the JSON of \(Value.self)"
                        + ((error as? DecodingError).map { ": \($0.words(in: [UInt8](text)))" } ?? ""),
                    recoverySuggestion: "see the underlying error",
                    underlying: error))
        }
    }
}

/// Feeds the body of an answer to it.
private final class JSONLinesBodyReader<Value: Decodable & Sendable>: ObserverType {
    private let reader: JSONLinesReader<Value>

    init(_ reader: JSONLinesReader<Value>) {
        self.reader = reader
    }

    func on(_ event: Event<RequestEvent>) {
        switch event {
        case .next(.head(_, let url)): reader.origin = url.origin.description
        case .next(.body(let bytes)): reader.on(.next(bytes))
        case .next: break
        case .error(let error): reader.on(.error(error))
        case .completed: reader.on(.completed)
        }
    }
}
