import FreshetCore

/// The observer of an event stream. It gets all signals, or the events alone.
enum EventSourceOutput: Sendable {
    case signals(AnyObserver<EventSource.Signal>)
    case events(AnyObserver<ServerSentEvent>)

    func emit(_ event: ServerSentEvent) {
        switch self {
        case .signals(let observer): observer.onNext(.event(event))
        case .events(let observer): observer.onNext(event)
        }
    }

    var emitsStates: Bool { if case .signals = self { true } else { false } }

    /// Emits a signal that is not an event.
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
