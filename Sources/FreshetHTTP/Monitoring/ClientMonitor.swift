public import FreshetCore

/// Is told what happens to all requests of a client; see ``HTTPClient/Configuration/monitors``.
///
/// Calls about one request come in order and one at a time, on the thread where the thing happens, mostly the transport's;
/// about different requests from several threads at once, if the client has several. All wait while a call lasts, so it
/// must not block. A client that nobody watches does nothing of this.
public protocol ClientMonitor: Sendable {
    /// A subscriber starts a request. Called on the subscriber's thread and in its task.
    ///
    /// The monitor can keep values in the request's tags, where ``willSend(_:)`` and every event find them. It can bind task-local
    /// values in ``Request/context``: the client calls the monitor in that context from then on.
    func willStart(_ request: inout Request)

    /// The request goes out next, after all adapters: for each attempt and each hop of a redirect, and again for one that
    /// has queued since. Headers can be put on it, such as one that tells the server of a trace.
    func willSend(_ request: inout Request)

    func receive(_ event: ClientEvent)
}

extension ClientMonitor {
    public func willStart(_ request: inout Request) {}
    public func willSend(_ request: inout Request) {}
}

/// Several as one, in their order.
final class ClientMonitors: Sendable {
    private let all: [any ClientMonitor]

    init(_ all: [any ClientMonitor]) {
        self.all = all
        // A monitor may give a request a context as it begins.
        SubscriptionContext.expect()
    }

    func willStart(_ request: inout Request) {
        for monitor in all { monitor.willStart(&request) }
    }

    func willSend(_ request: inout Request) {
        for monitor in all { monitor.willSend(&request) }
    }

    func willSend(_ request: Request) -> Request {
        var request = request
        willSend(&request)
        return request
    }

    func receive(_ event: ClientEvent) {
        for monitor in all { monitor.receive(event) }
    }
}

/// A monitor that is a stream: what happens to all requests of the clients that have it among theirs.
///
/// Whoever subscribes hears of what happens from then on. Events are handed on one at a time, in the order of arrival.
/// ```swift
/// let events = ClientEvents()
/// configuration.monitors = [events]
/// events.asObservable().subscribe(onNext: { print($0) })
/// ```
public final class ClientEvents: ClientMonitor, ObservableConvertibleType {
    private let subject = PublishSubject<ClientEvent>()

    public init() {}

    public func receive(_ event: ClientEvent) {
        if subject.hasObservers { subject.onNext(event) }
    }

    public func asObservable() -> Observable<ClientEvent> { subject.asObservable() }
}
