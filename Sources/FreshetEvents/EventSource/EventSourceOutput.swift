import FreshetCore
import FreshetHTTP

/// Whom an event stream tells what happens: all of it, or the events alone.
enum EventSourceOutput: Sendable {
    case signals(AnyObserver<EventSource.Signal>)
    case events(AnyObserver<ServerSentEvent>)

    func emit(_ event: ServerSentEvent) {
        switch self {
        case .signals(let observer): observer.onNext(.event(event))
        case .events(let observer): observer.onNext(event)
        }
    }

    /// Anything but an event.
    func emit(_ signal: EventSource.Signal) {
        if case .signals(let observer) = self { observer.onNext(signal) }
    }

    func complete() {
        switch self {
        case .signals(let observer): observer.onCompleted()
        case .events(let observer): observer.onCompleted()
        }
    }

    func fail(with error: any Error) {
        switch self {
        case .signals(let observer): observer.onError(error)
        case .events(let observer): observer.onError(error)
        }
    }
}

/// What one connection of a stream says to it.
struct EventSourceConnection: ObserverType {
    let call: EventSourceCall
    let number: Int

    func on(_ event: Event<RequestEvent>) { call.submit(.request(event, connection: number)) }
}
