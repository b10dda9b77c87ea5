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
        let pieces = asObservable()
        return .create { observer in
            pieces.subscribe(JSONLinesReader(limit: limit, decoder: decoder, observer: observer))
        }
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
        let events = asObservable()
        return .create { observer in
            let reader = JSONLinesReader(limit: limit, decoder: decoder, observer: observer)
            return events.subscribe(JSONLinesBodyReader(reader))
        }
    }
}

/// Feeds pieces to a parser. Events are serial, so no lock is needed.
private final class JSONLinesReader<Value: Decodable & Sendable>: ObserverType {
    private var parser: JSONLinesParser
    private let limit: Int
    private let decoder: any BodyDecoder
    private let observer: AnyObserver<JSONLine<Value>>
    /// The origin of the response that contains the bytes, if there is one.
    var origin = ""

    init(limit: Int, decoder: any BodyDecoder, observer: AnyObserver<JSONLine<Value>>) {
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
                .undecodable(
                    "line \(line.number)", [UInt8](text), as: Value.self, using: decoder, error, origin: origin))
        }
    }
}

/// Feeds the body of a response to the reader.
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
