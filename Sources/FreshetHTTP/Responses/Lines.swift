public import FreshetCore
import HTTPTypes

extension ObservableType where Element == RequestEvent {
    /// Emits the lines of the body as they arrive, without their ends. A line ends with LF, CR or CRLF; the last line may have no
    /// end.
    ///
    /// A line is text in the charset that `Content-Type` names, or in UTF-8 if it names none. Malformed bytes become U+FFFD.
    /// The stream fails with code `decoding` if the charset is not known, and for UTF-16, whose line ends are not bytes.
    /// Pausing stops reading from the network; lines that had come before the pause are emitted at the resume,
    /// on the thread that resumes.
    ///
    /// The lines of a client's response are decoded without `TransferOptions.maximumDecodingRatio`, because they can be a
    /// stream without an end, and `maximumLength` bounds their memory.
    ///
    ///     client.events(request).lines().subscribe(onNext: { print($0) })
    ///
    /// - Parameter maximumLength: the longest line, in bytes. A longer line ends the stream with code `tooLarge`.
    public func lines(maximumLength: Int = 1 << 20) -> Observable<String> {
        cut(maximumLength) { reader, line in try reader.text(of: line) }
    }

    /// Emits the lines of the body as bytes, whatever their charset.
    public func byteLines(maximumLength: Int = 1 << 20) -> Observable<[UInt8]> {
        cut(maximumLength) { _, line in [UInt8](line) }
    }

    private func cut<Line: Sendable>(
        _ maximumLength: Int, _ make: @escaping @Sendable (inout LineText, UnsafeBufferPointer<UInt8>) throws -> Line
    ) -> Observable<Line> {
        let events = asObservable().withoutDecodingRatio
        return events.lift { LineSink(to: $0, maximumLength: maximumLength, isText: Line.self == String.self, make) }
            .onOverflow(.buffer(0))
    }
}

extension Observable<RequestEvent> {
    /// The events of the request without a limit of the ratio, if a client's request is where they come from.
    fileprivate var withoutDecodingRatio: Observable<RequestEvent> {
        guard isTrusted(parameters: RequestParameters.self) else { return self }
        return .updating(self) { (parameters: inout RequestParameters) in
            var transfer = parameters.request.transfer ?? parameters.client.configuration.transfer
            transfer.maximumDecodingRatio = nil
            parameters.request.transfer = transfer
        }
    }
}

extension HTTPClient {
    /// Sends `request` and emits the body of the response in pieces. A status outside of 200..<300 is an error with code
    /// `status`, whose response has the first 64 KiB of the body unless the request is long-lived.
    public func bodyParts(_ request: Request) -> Observable<[UInt8]> {
        successfulEvents(request).bodyParts()
    }

    /// Sends `request` and emits the body of the response in lines; see `lines(maximumLength:)`. A status outside of 200..<300
    /// is an error with code `status`.
    public func lines(_ request: Request, maximumLength: Int = 1 << 20) -> Observable<String> {
        successfulEvents(request).lines(maximumLength: maximumLength)
    }

    private func successfulEvents(_ request: Request) -> Observable<RequestEvent> {
        .updating(events(request)) { (parameters: inout RequestParameters) in
            parameters.accepted.formIntersection(AcceptedStatuses(within: 200..<300))
            parameters.readsRefusal = true
        }
    }
}

/// Turns the bytes of a line into text.
private struct LineText {
    /// The line ends of the charset are not bytes, or the charset is not known.
    struct NoLines: Error {}

    var charset = Charset.utf8
    private var isFirst = true

    mutating func text(of line: UnsafeBufferPointer<UInt8>) throws -> String {
        defer { isFirst = false }
        guard isFirst, let (marked, length) = Charset.marked(at: line) else { return charset.decode(line) }
        guard marked == .utf8 else { throw NoLines() }
        // The mark is for all lines.
        charset = marked
        return charset.decode(line.dropFirst(length))
    }
}

/// Feeds the body of a response to a splitter, until the subscriber has left.
private final class LineSink<Line>: ClosingOperatorSink<RequestEvent, Line> {
    private var splitter: LineSplitter
    private var text = LineText()
    // What errors name.
    private var request: Request?
    private var response: Response?
    private var location = AttemptLocation()
    private let maximumLength: Int
    private let isText: Bool
    private let make: (inout LineText, UnsafeBufferPointer<UInt8>) throws -> Line

    init(
        to downstream: Sink<Line>, maximumLength: Int, isText: Bool,
        _ make: @escaping (inout LineText, UnsafeBufferPointer<UInt8>) throws -> Line
    ) {
        splitter = LineSplitter(maximumLength: maximumLength)
        self.maximumLength = maximumLength
        self.isText = isText
        self.make = make
        super.init(to: downstream)
    }

    override func next(_ event: RequestEvent) {
        endIfItFails {
            switch event {
            case .head(let head, let url):
                response = Response(head: head, url: url)
                // The events can be those of a request that was sent again, and an earlier response has left half a line.
                (splitter, text) = (LineSplitter(maximumLength: maximumLength), LineText())
                if isText { text.charset = try charset(of: head) }
            case .body(let bytes):
                try bytes.withUnsafeBufferPointer { bytes in
                    try splitter.take(bytes, emit)
                }
            default:
                location.record(event)
                if case .attempt(_, let request) = event { self.request = request }
            }
        }
    }

    override func completed() {
        endIfItFails {
            try splitter.finish(emit)
            if !isDisposed { downstream.completed() }
        }
    }

    private func emit(_ line: UnsafeBufferPointer<UInt8>) throws {
        if !isDisposed { downstream.next(try make(&text, line)) }
    }

    private func endIfItFails(_ work: () throws -> Void) {
        do {
            try work()
        } catch is LineSplitter.TooLong {
            fail(failure(.tooLarge, "a line of the body has more than \(maximumLength) bytes", "allow longer ones"))
        } catch is LineText.NoLines {
            fail(
                failure(
                    .decoding, "the charset of the body is not known, or has no lines of bytes",
                    "use its text or its bytes"))
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: any Error) {
        if !isDisposed { downstream.error(error) }
    }

    private func charset(of head: HTTPResponse) throws -> Charset {
        switch Charset.named(in: head) {
        case .utf8: return .utf8
        case .windows1252: return .windows1252
        case .utf16LittleEndian, .utf16BigEndian, nil:
            throw LineText.NoLines()
        }
    }

    private func failure(
        _ code: HTTPClientError.Code, _ message: String, _ recoverySuggestion: HTTPClientError.RecoverySuggestion
    ) -> HTTPClientError {
        let error = HTTPClientError(
            code, phase: .decoding, origin: response?.url.origin.description ?? "", message: message,
            recoverySuggestion: recoverySuggestion, response: response)
        return request.map { error.naming($0, at: location) } ?? error
    }
}
