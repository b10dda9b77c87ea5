import FreshetCore
import FreshetHTTP

/// Whom an event stream tells what happens: all of it, or the events alone.
enum EventSourceOutput {
    case signals(RuledObserver<EventSource.Signal>)
    case events(RuledObserver<ServerSentEvent>)

    func tell(_ event: ServerSentEvent) {
        switch self {
        case .signals(let observer): observer.onNext(.event(event))
        case .events(let observer): observer.onNext(event)
        }
    }

    /// Anything but an event.
    func tell(_ signal: EventSource.Signal) {
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

/// A subscription to all that happens.
final class SignalsOfEventSource: RuledSource, Pausable {
    private let call: EventSourceCall

    init(
        _ stream: borrowing RuledStream<EventSource, EventSource.Signal>,
        for observer: RuledObserver<EventSource.Signal>
    ) {
        call = EventSourceCall(stream.seed, for: .signals(observer))
    }

    func start() { call.start() }
    func dispose() { call.dispose() }
    func pause() { call.pause() }
    func resume() { call.resume() }
}

/// A subscription to the events alone.
final class EventsOfEventSource: RuledSource, Pausable {
    private let call: EventSourceCall

    init(_ stream: borrowing RuledStream<EventSource, ServerSentEvent>, for observer: RuledObserver<ServerSentEvent>) {
        call = EventSourceCall(stream.seed, for: .events(observer))
    }

    func start() { call.start() }
    func dispose() { call.dispose() }
    func pause() { call.pause() }
    func resume() { call.resume() }
}

/// What one connection of a stream says to it.
struct EventSourceConnection: ObserverType {
    let call: EventSourceCall
    let number: Int

    func on(_ event: Event<RequestEvent>) { call.take(event, of: number) }
}
