import FreshetCore
import FreshetHTTP

extension EventSourceState {
    /// What the thread that works does for the state.
    enum Action {
        case connect(Request, connection: Int)
        /// Sends the signal `overdue` after a time.
        case watch(connection: Int, after: Duration, due: Instant)
        /// Sends the signal `waited` after a time, or `refused` if the client is closed before.
        case wait(connection: Int, Duration)
        case leave([any Disposable])
        case event(ServerSentEvent)
        case emit(EventSource.Signal)
        case complete
        case fail(any Error)
    }
}

extension EventSourceState.Action {
    /// Whether the subscriber gets an element.
    var isElement: Bool {
        switch self {
        case .event, .emit: true
        case .connect, .watch, .wait, .leave, .complete, .fail: false
        }
    }

    /// Whether the subscriber gets a stop event.
    var isStop: Bool {
        switch self {
        case .complete, .fail: true
        case .connect, .watch, .wait, .leave, .event, .emit: false
        }
    }
}
