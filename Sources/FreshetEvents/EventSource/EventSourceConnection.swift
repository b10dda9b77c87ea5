import FreshetCore
import FreshetHTTP

/// Submits what one connection of a stream emits.
struct EventSourceConnection: ObserverType {
    let call: EventSourceCall
    let number: Int

    func on(_ event: Event<RequestEvent>) { call.submit(.request(event, connection: number)) }
}

extension EventSourceState.Signal {
    /// Whether a connection has sent this. The connection waits while it is applied.
    var isOfConnection: Bool { if case .request = self { true } else { false } }
}
