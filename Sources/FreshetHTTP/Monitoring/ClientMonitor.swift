public import FreshetCore

/// Observes all requests of a client; see ``HTTPClient/Configuration/monitors``.
///
/// Calls about one request come in order and one at a time, on the thread where the event happens, mostly the transport's. Calls
/// about different requests can come from several threads at once, if the client has several. All work of the thread waits during
/// a call, so a monitor must not block. A client without monitors has no such cost.
public protocol ClientMonitor: Sendable {
    /// A subscriber starts a request. Called on the subscriber's thread and in its task.
    ///
    /// The monitor can keep values in the request's tags, where ``willSend(_:)`` and every event find them. It can bind task-local
    /// values in ``Request/context``: the client calls the monitor in that context from then on.
    func willStart(_ request: inout Request)

    /// Called before the request goes out, after all adapters, for each attempt and each hop of a redirect, and again for a
    /// request that has waited in a queue since then. The monitor can add headers, such as one that tells the server of a trace.
    func willSend(_ request: inout Request)

    func receive(_ event: ClientEvent)
}

extension ClientMonitor {
    public func willStart(_ request: inout Request) {}
    public func willSend(_ request: inout Request) {}
}

/// Several monitors as one, in their order.
final class ClientMonitors: Sendable {
    private let all: [any ClientMonitor]

    init(_ all: [any ClientMonitor]) {
        self.all = all
        // A monitor may give a request a context when the request starts.
        SubscriptionContext.enableTracking()
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

/// A monitor that is a stream: it emits what happens to all requests of the clients that list it in their monitors.
///
/// A subscriber gets the events that happen after it subscribes. Events are emitted one at a time, in the order of arrival.
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
