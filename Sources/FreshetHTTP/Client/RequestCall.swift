import FreshetCore
import HTTPTypes

/// One subscription to a request: does what the ``RequestStateMachine`` says.
///
/// Whatever happens, on whichever thread, arrives through the drain, one thing after the other.
// Unchecked: `state` is touched by what the drain handles alone.
final class RequestCall: TrustedSource, Pausable, DeadlineTarget, @unchecked Sendable {
    private typealias Signal = (input: RequestStateMachine.Input, step: Int?)

    private struct State {
        var machine: RequestStateMachine
        var clock: PhaseClock
        /// There if somebody watches the client.
        var monitored: MonitoredRequest?
        var current: Current?
        var deadline: Deadline?
        /// Its place among those that might run for ever.
        var registration: (any Disposable)?
    }

    /// What there is of an attempt, or of a hop of a redirect, and ends with it.
    private struct Current {
        /// The transfer that is under way, or is being decided about.
        var transfer: (any Transfer)?
        /// What interceptors do with it meanwhile.
        var watch: (any Disposable)?
        /// The question to the retriers, or the delay, that is waited for.
        var pending: (any Disposable)?

        func dispose() {
            watch?.dispose()
            pending?.dispose()
            transfer?.dispose()
        }
    }

    let client: HTTPClient
    let isLongLived: Bool
    private let output: any RequestOutput
    /// Of everything that is done for the request.
    private let context: SubscriptionContext
    private let timeout: Duration?
    private let isMonitored: Bool
    /// Whether somebody is told where its time goes.
    private let isTimed: Bool
    /// Whether the client took it, among those that are running.
    private let isCounted: Bool
    private let drain = Drain<Signal>()
    private let life = SubscriptionLife()
    #if DEBUG
        private var state: State
    #else
        // Checked in debug builds, where the tests run: see the page ExclusivityChecksStayOn.
        @exclusivity(unchecked) private var state: State
    #endif

    init(_ seed: RequestSeed, for output: any RequestOutput) {
        Resources.increment()
        let client = seed.client
        // Already here, for whoever drains the client afterwards waits for it.
        isCounted = client.activity.enter()
        timeout = seed.request.timeout ?? client.configuration.timeout
        isLongLived = seed.request.transfer?.isLongLived ?? client.configuration.transfer.isLongLived
        isMonitored = client.monitor != nil
        isTimed = output.tellsTimings || isMonitored
        var request = seed.request
        let monitored = client.monitor.map { MonitoredRequest(&request, by: $0) }
        context = request.context ?? .current
        state = State(
            machine: RequestStateMachine(
                request,
                redirects: RedirectPolicy(
                    limit: client.configuration.redirectLimit,
                    allowsDowngrade: client.configuration.allowsDowngradingRedirects)),
            clock: PhaseClock(start: client.scheduler.now), monitored: monitored)
        self.client = client
        self.output = output
    }

    deinit { Resources.decrement() }

    func start() { submit(.start) }
    func pause() { submit(.pause) }
    func resume() { submit(.resume) }

    func dispose() {
        if life.dispose() { submit(.dispose) }
    }

    func deadlineReached() {
        submit(
            .interrupt(
                HTTPClientError(
                    .timeout, phase: .preparing, message: "the request took longer than its \(timeout ?? .zero)",
                    recoverySuggestion: .allowMoreTime)))
    }

    /// Something has happened to its transfer or delay number `step`, or if that is `nil` to whatever there is.
    func submit(_ input: RequestStateMachine.Input, of step: Int? = nil) {
        // Started outside of the drain: what a transfer delivers within the call is handled as it comes.
        var transfer: (any Transfer)?
        drain.submit((input, step)) { signal in
            transfer?.start()
            transfer = context.run { handle(signal) }
        }
        transfer?.start()
    }

    func adapt(_ request: inout Request) -> Adaptation {
        switch context.run({ client.adapt(&request) }) {
        case .ready: .ready
        case .waiting(let adapted):
            .waiting(adapted.inContext { [context] _ in context })
        }
    }

    /// - Returns: the transfer that is to be started.
    private func handle(_ signal: Signal) -> (any Transfer)? {
        guard state.machine.expects(signal.step) else { return nil }
        switch signal.input {
        case .start: return begin() ? apply(.start) : nil
        case .part(.head(let head)): return apply(completed(head))
        case .ended:
            // It needs not be cancelled.
            state.current?.transfer = nil
            return apply(signal.input)
        default: return apply(signal.input)
        }
    }

    /// - Returns: the transfer that is to be started.
    private func apply(_ input: RequestStateMachine.Input) -> (any Transfer)? {
        var actions = state.machine.apply(input)
        if isMonitored { report(input) }
        var transfer: (any Transfer)?
        while let action = actions.next() {
            // A subscriber who leaves at one event stops what would follow it.
            if life.isDisposed, !input.isDisposal { break }
            if let created = perform(action) { transfer = created }
        }
        return transfer
    }

    /// Shows a head to the interceptors, which say how much they want to see of the response.
    private func completed(_ head: HTTPResponse) -> RequestStateMachine.Input {
        let request = state.machine.onWire
        client.received(head, for: request)
        return .head(head, peek: client.peekLimit(head, for: request))
    }

    /// - Returns: whether the request may go on.
    private func begin() -> Bool {
        guard isCounted else {
            submit(.fail(HTTPClient.refusal(of: state.machine.address)))
            return false
        }
        if isLongLived { state.registration = client.activity.register(self) }
        if let timeout, timeout.attoseconds < Duration.never.attoseconds {
            state.deadline = client.scheduler.setDeadline(after: timeout, from: state.clock.start, for: self)
        }
        return true
    }

    /// - Returns: the transfer that the action has made.
    private func perform(_ action: consuming RequestStateMachine.Action) -> (any Transfer)? {
        if isTimed, action.isStep {
            let now = client.scheduler.now
            state.clock.record(action, at: now)
        }
        if isMonitored { report(action) }
        switch consume action {
        case .send(let request): return send(request)
        case .watch(let request): watch(request)
        case .cancel: cancelTransfer()
        case .hold(true): state.current?.transfer?.pause()
        case .hold(false): state.current?.transfer?.resume()
        case .ask(let attempt): decide(about: attempt)
        case .wait(let delay): wait(delay)
        case .emit(let event): emit(event)
        case .finish: finish()
        case .fail(let error):
            release()
            if life.end() { output.fail(error) }
        case .leave: release()
        }
        return nil
    }

    private func send(_ request: Request) -> any Transfer {
        cancelTransfer()
        let transfer = client.transfer(request, to: AttemptReceiver(self, step: state.machine.step))
        state.current = Current(transfer: transfer)
        if state.machine.isPaused { transfer.pause() }
        return transfer
    }

    private func watch(_ request: Request) {
        if let earlier = state.current?.watch { earlier.dispose() }
        let watch = client.watch(RequestInFlight(request: self, step: state.machine.step), of: request)
        state.current?.watch = watch
    }

    /// Asks the retriers. The transfer stays: what was peeked of it may still be delivered.
    private func decide(about attempt: Attempt) {
        let step = state.machine.step
        let question = client.decision(about: attempt).subscribe { [self] result in
            switch result {
            case .success(let decision): submit(.decided(decision), of: step)
            case .failure(let error): submit(.decided(.doNotRetryWithError(error)), of: step)
            }
        }
        state.current?.pending = question
    }

    private func wait(_ delay: Duration) {
        let step = state.machine.step
        let timer = client.scheduler.scheduleRelative((), dueTime: delay) { [self] in
            submit(.waited, of: step)
            return Disposables.create()
        }
        // Nothing ends it meanwhile but the subscriber, or the end of the client.
        state.current = Current(pending: Disposables.create(timer, client.activity.register(self)))
    }

    private func emit(_ event: consuming RequestEvent) {
        do {
            try output.receive(event)
        } catch {
            // Whoever takes the error disposes of this.
            output.fail(error)
        }
    }

    private func finish() {
        release()
        guard life.beginEnd() else { return }
        do {
            let timings = state.clock.end(attempts: state.machine.attempts, at: client.scheduler.now)
            try output.receiveEnd(timings)
            if life.end() { output.complete() }
        } catch {
            if life.end() { output.fail(error) }
        }
    }

    private func release() {
        cancelTransfer()
        if let deadline = state.deadline.take() { client.scheduler.cancel(deadline) }
        state.registration.take()?.dispose()
        if isCounted { client.activity.leave() }
    }

    private func cancelTransfer() {
        if let left = state.current.take() { left.dispose() }
    }

    private func report(_ input: RequestStateMachine.Input) {
        let attempt = state.machine.attempts
        let events = state.monitored?.events(of: input, attempt: attempt, at: client.scheduler.now) ?? []
        for event in events { client.monitor?.receive(event) }
    }

    private func report(_ action: RequestStateMachine.Action) {
        let (attempt, now) = (state.machine.attempts, client.scheduler.now)
        let clock = state.clock
        let events = state.monitored?.events(of: action, clock, attempt: attempt, at: now) ?? []
        for event in events { client.monitor?.receive(event) }
    }
}
