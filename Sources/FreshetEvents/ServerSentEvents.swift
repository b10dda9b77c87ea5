public import FreshetCore
public import FreshetHTTP

extension ObservableType where Element == RequestEvent {
    /// Emits the events of one connection to a server-sent event stream. Completes when the connection ends.
    ///
    /// A status of 204 completes the stream too. Any other status except 200, and any type except `text/event-stream`, is an
    /// error with code `status`. The stream does not reconnect; see ``FreshetEvents/EventSource``.
    ///
    /// - Parameter lastEventID: the last event ID of an earlier connection. Events without an ID of their own get it.
    public func serverSentEvents(after lastEventID: String = "") -> Observable<ServerSentEvent> {
        let events = asObservable()
        return .create { observer in
            let reader = ServerSentEventReader(lastEventID: lastEventID, observer: observer)
            return events.subscribe(reader)
        }
    }
}

/// Feeds the body of a response to a parser. Events are serial, so no lock is needed.
private final class ServerSentEventReader: ObserverType {
    private var parser: ServerSentEventParser
    private let observer: AnyObserver<ServerSentEvent>

    init(lastEventID: String, observer: AnyObserver<ServerSentEvent>) {
        parser = ServerSentEventParser(lastEventID: lastEventID)
        self.observer = observer
    }

    func on(_ event: Event<RequestEvent>) {
        do {
            switch event {
            case .next(.head(let head, let url)):
                // The events can be those of a request that was sent again, and an earlier response has left half an event.
                parser = ServerSentEventParser(lastEventID: parser.lastEventID)
                parser.begin(from: url.origin.description)
                switch EventStreamHead(head, from: url) {
                case .stream: break
                case .stop: observer.onCompleted()
                case .none(let error): observer.onError(error)
                }
            case .next(.body(let bytes)): try parser.parse(bytes, observer.onNext)
            case .next: break
            case .error(let error): observer.onError(error)
            case .completed: observer.onCompleted()
            }
        } catch {
            observer.onError(error.located(at: parser.origin))
        }
    }
}
