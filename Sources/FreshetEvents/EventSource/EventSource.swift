public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// A server-sent event stream, followed over any number of connections: the stream of its events.
///
/// Each subscription has connections of its own; `share()` lets many subscribe to one. What is lost or ended is opened
/// again from the last event ID, after the reconnection time and a random wait that grows with each connection which
/// brings nothing; ``Settings`` says how often and when not. A status of 204 completes the stream; any other but 200, and
/// any type but `text/event-stream`, is its error, with code `status`. Redirects, retries and authentication are the
/// client's: with an `AuthenticationInterceptor` a stream whose credential ends goes on with the new one. Interceptors
/// adapt the request anew for each connection.
///
/// The request's timeout, or else the client's, is the time until the head of the answer; how long the stream may be
/// silent afterwards is ``Settings/idleTimeout``, in place of the transfer's. The client's limits to the time and the size
/// of a whole answer are none of a stream's, unless the request has them itself. Pausing the subscription stops reading from
/// the network. Source: the WHATWG HTML standard, section 9.2.
///
///     EventSource(try Request(.get, "https://api.example/events"), by: client)
///         .subscribe(onNext: { print($0.data) })
public struct EventSource: ObservableType {
    public typealias Element = ServerSentEvent

    public let request: Request
    /// Where an earlier stream ended; empty to begin with what the server sends first.
    public let lastEventID: String
    public let settings: Settings
    let client: HTTPClient

    /// The events that `request` is answered with; nothing is asked before somebody subscribes.
    ///
    /// - Parameters:
    ///   - request: what is asked anew for each connection.
    ///   - client: sends it, with its interceptors.
    ///   - lastEventID: where an earlier stream ended, as its last event told; by default what the request's own
    ///     `Last-Event-ID` says.
    ///   - settings: when the stream is opened again, and what bounds it.
    public init(
        _ request: Request, by client: HTTPClient, after lastEventID: String? = nil, settings: Settings = Settings()
    ) {
        self.request = request
        self.lastEventID = lastEventID ?? request.headers[.lastEventID] ?? ""
        self.settings = settings
        self.client = client
    }

    /// Everything that happens, states and events, in order.
    public var signals: Observable<Signal> {
        .create { EventSourceCall.begin(self, for: .signals($0)) }
    }

    public func asObservable() -> Observable<ServerSentEvent> {
        .create { EventSourceCall.begin(self, for: .events($0)) }
    }

    public func subscribe<Observer: ObserverType<ServerSentEvent>>(_ observer: Observer) -> any Disposable {
        asObservable().subscribe(observer)
    }
}
