import FreshetCore
import FreshetHTTP
import HTTPTypes

/// One subscription to an event stream.
///
/// Everything that happens, on any thread, is a signal. One thread at a time works: it applies the signals to the
/// ``EventSourceState``, and performs the actions that the state requests, one after the other. It does not hold the lock
/// meanwhile, because the settings and the observer are the user's code, which can send a signal itself. The working thread
/// applies that signal, and those of other threads, before its next action.
final class EventSourceCall: Pausable {
    /// The state is an object, so that the thread that takes it out of the lock copies nothing.
    private final class Machine {
        var state: EventSourceState

        init(_ state: EventSourceState) { self.state = state }
    }

    private struct Shared {
        /// `nil` while a thread works.
        var idle: Machine?
        /// The signals that have arrived since then, and their times.
        var signals: [(signal: EventSourceState.Signal, time: Instant)] = []
    }

    private enum Step {
        case apply([(signal: EventSourceState.Signal, time: Instant)])
        case perform(EventSourceState.Action)
        case end
    }

    private let shared: Locked<Shared>
    private let output: EventSourceOutput
    private let source: EventSource
    private let context = SubscriptionContext.current

    private init(_ source: EventSource, for output: EventSourceOutput) {
        self.source = source
        self.output = output
        shared = Locked(Shared(idle: Machine(EventSourceState(source, at: source.client.scheduler.now))))
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
        let taken = shared.withLock { shared in
            if shared.idle == nil { shared.signals.append((signal, now)) }
            return shared.idle.take()
        }
        guard let taken else { return }
        taken.state.apply(signal, at: now)
        work(with: taken)
    }

    /// Applies signals and performs actions until neither is left.
    private func work(with machine: Machine) {
        while true {
            switch nextStep(of: machine) {
            case .apply(let signals): for (signal, time) in signals { machine.state.apply(signal, at: time) }
            case .perform(let action): context.run { perform(action, on: &machine.state) }
            case .end: return
            }
        }
    }

    private func nextStep(of machine: Machine) -> Step {
        shared.withLock { shared in
            if !shared.signals.isEmpty {
                defer { shared.signals.removeAll() }
                return .apply(shared.signals)
            }
            if let action = machine.state.popAction() { return .perform(action) }
            shared.idle = machine
            return .end
        }
    }

    private func perform(_ action: EventSourceState.Action, on state: inout EventSourceState) {
        switch action {
        case .connect(let request, let connection):
            let response = source.client.events(request)
            let subscription = response.subscribe(EventSourceConnection(call: self, number: connection))
            keep(subscription, as: \.current, of: connection, on: &state)
        case .watch(let connection, let time, let due):
            let timer = schedule(after: time, .overdue(connection: connection, due: due))
            keep(timer, as: \.watchdog, of: connection, on: &state)
        case .wait(let connection, let time):
            keep(schedule(after: time, .waited(connection: connection)), as: \.delay, of: connection, on: &state)
            // A running connection fails by itself when the client closes.
            let closing = source.client.closing.subscribe { [self] _ in submit(.refused(connection: connection)) }
            keep(closing, as: \.closing, of: connection, on: &state)
        case .hold(let connection):
            guard state.connection == connection, let current = state.current as? any Pausable else { return }
            if state.isHeld { current.pause() } else { current.resume() }
        case .leave(let left): for one in left { one.dispose() }
        case .event(let event): output.emit(event)
        case .emit(let signal): output.emit(signal)
        case .complete: output.complete()
        case .fail(let error): output.fail(with: error)
        }
    }

    /// Keeps a disposable of a connection, or disposes of it if the connection has been dropped before this action.
    private func keep(
        _ new: any Disposable, as place: WritableKeyPath<EventSourceState, (any Disposable)?>, of connection: Int,
        on state: inout EventSourceState
    ) {
        guard state.connection == connection else { return new.dispose() }
        let replaced = state[keyPath: place]
        state[keyPath: place] = new
        replaced?.dispose()
    }

    private func schedule(after time: Duration, _ signal: EventSourceState.Signal) -> any Disposable {
        source.client.scheduler.scheduleRelative((), dueTime: time) { [self] in
            submit(signal)
            return Disposables.create()
        }
    }
}
