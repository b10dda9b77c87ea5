public import FreshetCore
import HTTPTypes

extension ObservableType where Element == RequestEvent {
    /// The lines of the body as they come, without their ends, which are LF, CR or CRLF; the last one may have none.
    ///
    /// They are text in the charset that `Content-Type` names, UTF-8 if it names none; what is no text becomes U+FFFD. An
    /// encoding whose line ends are no bytes, UTF-16, and one that is not known fail with code `decoding`. A pause goes to
    /// the network, and what of the lines had come goes on.
    ///
    ///     client.events(request).lines().subscribe(onNext: { print($0) })
    ///
    /// - Parameter maximumLength: of a line, in bytes; a longer one ends the stream with code `tooLarge`.
    public func lines(maximumLength: Int = 1 << 20) -> Observable<String> {
        cut(maximumLength) { reader, line in reader.text(of: line) }
    }

    /// The same as bytes, whatever they mean.
    public func byteLines(maximumLength: Int = 1 << 20) -> Observable<[UInt8]> {
        cut(maximumLength) { _, line in [UInt8](line) }
    }

    private func cut<Line: Sendable>(
        _ maximumLength: Int, _ make: @escaping @Sendable (LineText, UnsafeBufferPointer<UInt8>) -> Line
    ) -> Observable<Line> {
        let events = asObservable()
        return .create { observer in
            events.subscribe(
                LineReader(maximumLength: maximumLength, isText: Line.self == String.self, observer: observer, make))
        }
    }
}

extension HTTPClient {
    /// The body of the answer to `request` in pieces; a status outside of 200..<300 is an error with code `status`.
    public func bodyParts(_ request: Request) -> Observable<[UInt8]> {
        events(request).validate(statusCodes: 200..<300).bodyParts()
    }

    /// The same in lines; see `lines(maximumLength:)`.
    public func lines(_ request: Request, maximumLength: Int = 1 << 20) -> Observable<String> {
        events(request).validate(statusCodes: 200..<300).lines(maximumLength: maximumLength)
    }
}

/// What turns the bytes of a line into text.
private struct LineText {
    var charset = Charset.utf8
    var isFirst = true

    func text(of line: UnsafeBufferPointer<UInt8>) -> String {
        if isFirst, let (charset, length) = Charset.marked(at: line) { return charset.decode(line.dropFirst(length)) }
        return charset.decode(line)
    }
}

/// Feeds the body of an answer to a splitter. Events are serial, so nothing here is guarded.
private final class LineReader<Line>: ObserverType, @unchecked Sendable {
    private var splitter: LineSplitter
    private var text = LineText()
    private var origin = ""
    private let maximumLength: Int
    private let isText: Bool
    private let observer: AnyObserver<Line>
    private let make: (LineText, UnsafeBufferPointer<UInt8>) -> Line

    init(
        maximumLength: Int, isText: Bool, observer: AnyObserver<Line>,
        _ make: @escaping (LineText, UnsafeBufferPointer<UInt8>) -> Line
    ) {
        splitter = LineSplitter(maximumLength: maximumLength)
        self.maximumLength = maximumLength
        self.isText = isText
        self.observer = observer
        self.make = make
    }

    func on(_ event: Event<RequestEvent>) {
        do {
            switch event {
            case .next(.head(let head, let url)):
                origin = url.origin.description
                if isText { text.charset = try charset(of: head) }
            case .next(.body(let bytes)):
                try bytes.withUnsafeBufferPointer { bytes in
                    try splitter.take(bytes, emit)
                }
            case .next: break
            case .error(let error): observer.onError(error)
            case .completed:
                splitter.finish(emit)
                observer.onCompleted()
            }
        } catch is LineSplitter.TooLong {
            observer.onError(
                failure(.tooLarge, "a line of the body has more than \(maximumLength) bytes", "allow longer ones"))
        } catch {
            observer.onError(error)
        }
    }

    private func emit(_ line: UnsafeBufferPointer<UInt8>) {
        observer.onNext(make(text, line))
        text.isFirst = false
    }

    private func charset(of head: HTTPResponse) throws -> Charset {
        switch Charset.named(in: head) {
        case .utf8: return .utf8
        case .windows1252: return .windows1252
        case .utf16LittleEndian, .utf16BigEndian, nil:
            throw failure(
                .decoding, "the charset of the body is not known, or has no lines of bytes",
                "take its text or its bytes")
        }
    }

    private func failure(
        _ code: HTTPClientError.Code, _ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion
    ) -> HTTPClientError {
        HTTPClientError(
            code, phase: .decoding, origin: origin, message: message, recoverySuggestion: recoverySuggestion)
    }
}
