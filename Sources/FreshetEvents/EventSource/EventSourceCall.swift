import FreshetCore
import FreshetHTTP
import HTTPTypes

/// One subscription to an event stream.
///
/// Everything that happens, on any thread, is a signal. The signal is applied to the ``EventSourceState`` under the lock. The
/// thread then performs the actions that the state requests, without the lock and one after the other, unless another thread is
/// already performing them.
final class EventSourceCall: Pausable {
    private let state: Locked<EventSourceState>
    private let output: EventSourceOutput
    private let source: EventSource
    private let context = SubscriptionContext.current

    private init(_ source: EventSource, for output: EventSourceOutput) {
        self.source = source
        self.output = output
        state = Locked(EventSourceState(source, at: source.client.scheduler.now))
    }

    static func begin(_ source: EventSource, for output: EventSourceOutput) -> EventSourceCall {
        let call = EventSourceCall(source, for: output)
        call.submit(.start)
        return call
    }

    func dispose() { submit(.dispose) }
    func pause() { submit(.hold(true)) }
    func resume() { submit(.hold(false)) }

    func submit(_ signal: EventSourceState.Signal) {
        let now = source.client.scheduler.now
        let isToPerform = state.withLock { state in
            state.apply(signal, at: now)
            return state.beginPerforming()
        }
        guard isToPerform else { return }
        while let action = state.withLock({ $0.popAction() }) { context.run { perform(action) } }
    }

    private func perform(_ action: EventSourceState.Action) {
        switch action {
        case .connect(let request, let connection):
            let response = source.client.events(request)
            keep(\.current, of: connection, response.subscribe(EventSourceConnection(call: self, number: connection)))
        case .watch(let connection, let time, let due):
            keep(\.watchdog, of: connection, schedule(after: time, .overdue(connection: connection, due: due)))
        case .wait(let connection, let time):
            keep(\.delay, of: connection, schedule(after: time, .waited(connection: connection)))
            // A running connection fails by itself when the client closes.
            let closing = source.client.closing.subscribe { [self] _ in submit(.refused(connection: connection)) }
            keep(\.closing, of: connection, closing)
        case .hold(let connection):
            let (current, isHeld) = state.withLock { ($0.connection == connection ? $0.current : nil, $0.isHeld) }
            guard let current = current as? any Pausable else { return }
            if isHeld { current.pause() } else { current.resume() }
        case .leave(let left): for one in left { one.dispose() }
        case .event(let event): output.emit(event)
        case .emit(let signal): output.emit(signal)
        case .complete: output.complete()
        case .fail(let error): output.fail(with: error)
        }
    }

    /// Keeps the disposables of a connection until the connection is dropped, which may have happened in the meantime.
    private func keep(
        _ place: WritableKeyPath<EventSourceState, (any Disposable)?>, of connection: Int, _ new: any Disposable
    ) {
        let dropped = state.withLock { state in
            guard state.connection == connection else { return new as (any Disposable)? }
            defer { state[keyPath: place] = new }
            return state[keyPath: place]
        }
        dropped?.dispose()
    }

    private func schedule(after time: Duration, _ signal: EventSourceState.Signal) -> any Disposable {
        source.client.scheduler.scheduleRelative((), dueTime: time) { [self] in
            submit(signal)
            return Disposables.create()
        }
    }
}
