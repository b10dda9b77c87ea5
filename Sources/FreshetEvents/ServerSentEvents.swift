public import FreshetCore
public import FreshetHTTP

extension ObservableType where Element == RequestEvent {
    /// Emits the events of one connection to a server-sent event stream. Completes when the connection ends.
    ///
    /// A status of 204 completes the stream too. Any other status except 200, and any type except `text/event-stream`, is an
    /// error with code `status`. The stream does not reconnect; see ``FreshetEvents/EventSource``.
    /// Events that had come before a pause are emitted at the resume, on the thread that resumes.
    ///
    /// - Parameter lastEventID: the last event ID of an earlier connection. Events without an ID of their own get it.
    public func serverSentEvents(after lastEventID: String = "") -> Observable<ServerSentEvent> {
        lift { ServerSentEventSink(to: $0, after: lastEventID) }.onOverflow(.buffer(0))
    }
}

/// Feeds the body of a response to a parser, until the subscriber has left.
private final class ServerSentEventSink: ClosingOperatorSink<RequestEvent, ServerSentEvent> {
    private var parser: ServerSentEventParser

    init(to downstream: Sink<ServerSentEvent>, after lastEventID: String) {
        parser = ServerSentEventParser(lastEventID: lastEventID)
        super.init(to: downstream)
    }

    override func next(_ event: RequestEvent) {
        switch event {
        case .head(let head, let url):
            // The events can be those of a request that was sent again, and an earlier response has left half an event.
            parser = ServerSentEventParser(lastEventID: parser.lastEventID)
            parser.begin(from: url.origin.description)
            switch EventStreamHead(head, from: url) {
            case .stream: break
            case .stop: downstream.completed()
            case .none(let error): downstream.error(error)
            }
        case .body(let bytes): parse(bytes)
        default: break
        }
    }

    private func parse(_ bytes: [UInt8]) {
        do {
            try parser.parse(bytes) { event in
                // The subscriber can leave at any event of a piece.
                if !isDisposed { downstream.next(event) }
            }
        } catch {
            if !isDisposed { downstream.error(error.located(at: parser.origin)) }
        }
    }
}
