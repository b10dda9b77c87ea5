public import FreshetCore
public import FreshetHTTP
import HTTPTypes

/// A server-sent event stream that reconnects. It emits the events of all its connections.
///
/// Each subscription has its own connections; `share()` lets many observers use one subscription. A connection that is lost or
/// ended is opened again from the last event ID. The delay before that is the reconnection time plus a random wait, which grows
/// with each connection that delivers nothing. ``Settings`` determines how often the stream reconnects, and when it does not.
///
/// A status of 204 completes the stream. Any other status but 200 ends it with an error with code `status`, unless
/// ``Settings/isTransient-swift.property`` accepts it, and so does any type but `text/event-stream`. The client follows
/// redirects, retries and authenticates: with an `AuthenticationInterceptor`, a stream whose credential expires continues with
/// the new one. Interceptors adapt the request anew for each connection.
///
/// The request's timeout, or else the client's, limits the time until the head of the response. After the head,
/// ``Settings/idleTimeout`` limits the silence of the stream, in place of the transfer's limit. The client's limits for the
/// time and the size of a whole response do not apply to a stream; limits that the request sets itself do.
/// `TransferOptions.maximumDecodingRatio` never applies, because a stream may be compressed well for hours, and
/// ``Settings/maximumEventSize`` bounds its memory. Pausing the subscription stops reading from the network; a paused stream does
/// not reconnect. The events that have come and were not delivered before the pause follow at the resume, on the thread that
/// resumes. Source: the WHATWG HTML standard, section 9.2.
///
///     EventSource(try Request(.get, "https://api.example/events"), by: client)
///         .subscribe(onNext: { print($0.data) })
public struct EventSource: ObservableType {
    public typealias Element = ServerSentEvent

    public let request: Request
    /// The ID at which an earlier stream ended; empty to begin with the first event that the server sends.
    public let lastEventID: String
    public let settings: Settings
    let client: HTTPClient

    /// Makes the stream of the events that a server sends for `request`. No request is sent before the first subscription.
    ///
    /// - Parameters:
    ///   - request: the request for each connection.
    ///   - client: sends the request, with its interceptors.
    ///   - lastEventID: the ID of an earlier stream's last event; by default the request's own `Last-Event-ID`.
    ///   - settings: when the stream reconnects, and what limits it.
    public init(
        _ request: Request, by client: HTTPClient, after lastEventID: String? = nil, settings: Settings = Settings()
    ) {
        self.request = request
        self.lastEventID = lastEventID ?? request.headers[.lastEventID] ?? ""
        self.settings = settings
        self.client = client
    }

    /// Emits everything that happens, states and events, in order.
    ///
    /// Each subscription opens its own connections, to `signals` as to the source. To use the states and the events of one
    /// connection, share it: `let signals = source.signals.share()`, and then `signals` and `signals.events()`.
    public var signals: Observable<Signal> {
        .create({ EventSourceCall(self, for: .signals($0)) }, start: { $0.start() })
    }

    public func asObservable() -> Observable<ServerSentEvent> {
        .create({ EventSourceCall(self, for: .events($0)) }, start: { $0.start() })
    }

    public func subscribe<Observer: ObserverType<ServerSentEvent>>(_ observer: Observer) -> any Disposable {
        asObservable().subscribe(observer)
    }
}
