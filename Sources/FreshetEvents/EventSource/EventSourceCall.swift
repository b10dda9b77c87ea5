import FreshetCore
import FreshetHTTP
import HTTPTypes

/// One subscription to an event stream.
///
/// Everything that happens, on any thread, is a signal. One thread at a time works: it applies a signal to the
/// ``EventSourceState``, performs the actions that the state requests, one after the other, and continues with the next signal.
/// It does not hold the lock meanwhile, because the settings and the observer are the user's code, which can send a signal
/// itself.
///
/// The thread that delivers a piece of the response works until nothing is left. The connection waits for it, so that a slow
/// observer slows the server down. Any other thread leaves the pieces in the queue to a turn of the scheduler, because the
/// connection would fill the queue while it works. A pause and a disposal reach the connection at once, whichever thread works.
final class EventSourceCall: Pausable {
    /// The state is an object, so that the thread that takes it out of the lock copies nothing.
    private final class Machine {
        var state: EventSourceState

        init(_ state: EventSourceState) { self.state = state }
    }

    private typealias TimedSignal = (signal: EventSourceState.Signal, time: Instant)

    private struct Shared {
        /// `nil` while a thread works.
        var idle: Machine?
        /// The signals that wait for the thread that works, or for a turn.
        var signals = EventSourceQueue<TimedSignal>()
        /// The current connection. It is in here before it is subscribed to.
        var connection: SerialDisposable?
        var hold = EventSourceState.Hold()
        /// The number of the connection whose delay has ended while the subscriber paused the stream.
        var postponed: Int?
        var isDisposalDue = false
        var isTurnScheduled = false

        /// Keeps the end of a delay for the resume, because a paused stream does not connect.
        mutating func postpones(_ signal: EventSourceState.Signal) -> Bool {
            guard hold.isWanted, case .waited(let number) = signal else { return false }
            postponed = number
            return true
        }

        /// What follows for the thread that has no signal left that it may apply.
        var next: Next {
            mutating get {
                if signals.isEmpty { return hold.isBehind ? .catchUp : .nothing }
                defer { isTurnScheduled = true }
                return isTurnScheduled ? .nothing : .scheduleTurn
            }
        }
    }

    private enum Step {
        case apply(EventSourceState.Signal, Instant)
        case perform(EventSourceState.Action)
        case dispose(dropped: EventSourceQueue<TimedSignal>)
        case pass(Next)
    }

    /// What a thread does after it has given the state back.
    private enum Next {
        /// The signals that the connection sends within the subscribing call are applied at once.
        case connect(Request, number: Int, SerialDisposable)
        /// Resumes the connection, because the queue is empty again.
        case catchUp
        case scheduleTurn
        case nothing
    }

    /// The number of waiting signals at which the connection pauses until the queue is empty.
    private static let highWaterMark = 16

    private let shared: Locked<Shared>
    private let output: EventSourceOutput
    private let source: EventSource
    private let context = SubscriptionContext.current

    init(_ source: EventSource, for output: EventSourceOutput) {
        // All connections belong to the user who opens the stream.
        let source = EventSource(
            source.client.beginning(source.request), by: source.client, after: source.lastEventID,
            settings: source.settings)
        self.source = source
        self.output = output
        shared = Locked(
            Shared(
                idle: Machine(
                    EventSourceState(source, emitsStates: output.emitsStates, at: source.client.scheduler.now))))
    }

    func start() { submit(.start) }

    func dispose() {
        let (connection, taken) = shared.withLock { shared in
            shared.isDisposalDue = true
            return (shared.connection, shared.idle.take())
        }
        connection?.dispose()
        if let taken { work(with: taken, pieces: 0) }
    }

    func pause() {
        shared.withLock { $0.hold.isWanted = true }
        updateConnection()
    }

    func resume() {
        let now = source.client.scheduler.now
        let (postponed, taken) = shared.withLock { shared in
            shared.hold.end(at: now)
            let holdsElements = shared.idle?.state.holdsElements == true
            // The connection waits until they are delivered.
            if holdsElements { shared.hold.isBehind = true }
            return (shared.postponed.take(), holdsElements ? shared.idle.take() : nil)
        }
        if let taken { work(with: taken, pieces: 0) }
        updateConnection()
        if let postponed { submit(.waited(connection: postponed)) }
    }

    private func updateConnection() {
        shared.withLock { $0.connection }?.pauseOrResume { shared.withLock { $0.hold.isOn } }
    }

    func submit(_ signal: EventSourceState.Signal) {
        let now = source.client.scheduler.now
        var isFull = false
        var isDirect = false
        let taken = shared.withLock { shared in
            let taken = shared.idle.take()
            if let taken, shared.signals.isEmpty {
                taken.state.hold = shared.hold
                isDirect = !shared.postpones(signal)
            } else {
                shared.signals.append((signal, now))
                isFull = shared.signals.count >= Self.highWaterMark && !shared.hold.isBehind
                if isFull { shared.hold.isBehind = true }
            }
            return taken
        }
        if isFull { updateConnection() }
        guard let taken else { return }
        if isDirect { taken.state.apply(signal, at: now) }
        // The connection waits for a thread that delivers its event.
        work(with: taken, pieces: signal.isOfConnection ? .max : 0)
    }
}

// The thread that works.
extension EventSourceCall {
    /// Works, unless another thread does.
    private func proceed(pieces: Int) {
        if let machine = shared.withLock({ $0.idle.take() }) { work(with: machine, pieces: pieces) }
    }

    /// Applies signals and performs actions until this thread has nothing left to do.
    ///
    /// - Parameter pieces: how many of the queued events of connections this thread applies.
    private func work(with machine: Machine, pieces: Int) {
        var pieces = pieces
        while true {
            switch nextStep(of: machine, &pieces) {
            case .apply(let signal, let time): machine.state.apply(signal, at: time)
            case .perform(let action): context.run { perform(action, on: &machine.state) }
            case .dispose: machine.state.dispose()
            case .pass(let next): return end(with: next)
            }
        }
    }

    /// A disposal comes first, then the actions, and then the next signal.
    private func nextStep(of machine: Machine, _ pieces: inout Int) -> Step {
        shared.withLock { shared in
            if shared.isDisposalDue {
                shared.isDisposalDue = false
                defer { shared.signals = EventSourceQueue() }
                return .dispose(dropped: shared.signals)
            }
            if let action = machine.state.popAction(isPaused: shared.hold.isWanted) {
                guard case .connect(let request, let number) = action else { return .perform(action) }
                let connection = SerialDisposable()
                machine.state.current = connection
                shared.connection = connection
                shared.idle = machine
                return .pass(.connect(request, number: number, connection))
            }
            while let (signal, time) = shared.signals.first {
                if signal.isOfConnection {
                    if pieces == 0 { break }
                    pieces -= 1
                }
                shared.signals.popFirst()
                if shared.postpones(signal) { continue }
                machine.state.hold = shared.hold
                return .apply(signal, time)
            }
            shared.idle = machine
            return .pass(shared.next)
        }
    }

    private func end(with next: Next) {
        switch next {
        case .connect(let request, let number, let place):
            updateConnection()
            context.run {
                let observer = EventSourceConnection(call: self, number: number)
                source.client.events(request).subscribe(observer, in: place)
            }
            proceed(pieces: 0)
        case .catchUp:
            let now = source.client.scheduler.now
            shared.withLock { $0.hold.catchUp(at: now) }
            updateConnection()
        case .scheduleTurn:
            // A turn leaves what arrives during it to the next turn.
            _ = source.client.scheduler.schedule(()) { [self] in
                let count = shared.withLock { shared in
                    shared.isTurnScheduled = false
                    return shared.signals.count
                }
                proceed(pieces: count)
                return Disposables.create()
            }
        case .nothing: break
        }
    }

    private func perform(_ action: EventSourceState.Action, on state: inout EventSourceState) {
        switch action {
        // The thread gives the state back before it connects; see `nextStep`.
        case .connect: break
        case .watch(let connection, let time, let due):
            let timer = schedule(after: time, .overdue(connection: connection, due: due))
            keep(timer, as: \.watchdog, of: connection, on: &state)
        case .wait(let connection, let time):
            keep(schedule(after: time, .waited(connection: connection)), as: \.delay, of: connection, on: &state)
            // A running connection fails by itself when the client closes.
            let closing = source.client.closing.subscribe { [self] _ in submit(.refused(connection: connection)) }
            keep(closing, as: \.closing, of: connection, on: &state)
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
