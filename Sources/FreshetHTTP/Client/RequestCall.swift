import FreshetCore
import HTTPTypes

/// One subscription to a request. It performs the actions of the ``RequestStateMachine``.
///
/// Everything that happens, on any thread, goes through the drain, which handles one signal after the other.
// Unchecked: only the drain's handler touches `state`.
final class RequestCall: TrustedSource, Pausable, DeadlineTarget, @unchecked Sendable {
    /// A signal without an input only pauses or resumes the transfer.
    private typealias Signal = (input: RequestStateMachine.Input?, step: Int?)

    private struct State {
        var machine: RequestStateMachine
        var clock: PhaseClock
        /// Set if the client has monitors.
        var monitored: MonitoredRequest?
        var current: Current?
        /// The address that the current transfer is connected to, for errors.
        var peer: String?
        var deadline: Deadline?
        /// The registration with the client, if the request could wait longer than the client lives.
        var registration: (any Disposable)?
    }

    let client: HTTPClient
    let isLongLived: Bool
    private let output: any RequestOutput
    /// The context of everything that is done for the request.
    let context: SubscriptionContext
    private let timeout: Duration?
    private let isMonitored: Bool
    /// Whether the output or a monitor uses the timings.
    private let isTimed: Bool
    /// Whether the client counts the request among those that are running.
    private let isCounted: Bool
    private let drain = Drain<Signal>()
    private let transfer = CurrentTransfer()
    private let life = SubscriptionLife()
    #if DEBUG
        private var state: State
    #else
        // Debug builds, in which the tests run, check exclusivity: see the page ExclusivityChecksStayOn.
        @exclusivity(unchecked) private var state: State
    #endif

    init(_ parameters: RequestParameters, for output: any RequestOutput) {
        Resources.increment()
        let client = parameters.client
        // Counted before the start, so that a caller that drains the client afterwards waits for this request.
        isCounted = client.activity.enter()
        timeout = parameters.request.timeout ?? client.configuration.timeout
        isLongLived = parameters.isLongLived
        isMonitored = client.monitor != nil
        isTimed = output.needsTimings || isMonitored
        var request = parameters.request
        if isCounted { request = (request.context ?? .current).run { client.beginning(request) } }
        if let hsts = client.configuration.hsts { request.url = hsts.upgraded(request.url) }
        let monitored = client.monitor.map { MonitoredRequest(&request, by: $0) }
        context = request.context ?? .current
        state = State(
            machine: RequestStateMachine(
                request,
                redirects: RedirectPolicy(
                    limit: client.configuration.redirectLimit,
                    allowsDowngrade: client.configuration.allowsDowngradingRedirects,
                    hsts: client.configuration.hsts),
                coding: client.coding),
            clock: PhaseClock(start: client.scheduler.now), monitored: monitored)
        self.client = client
        self.output = output
    }

    deinit { Resources.decrement() }

    func start() { submit(.start) }

    func pause() {
        transfer.setPaused(true)
        transfer.pauseOrResume()
    }

    /// A transfer may send all that it has within its resume. So the thread that handles an event resumes the transfer after that
    /// event. The subscriber can then pause again between two parts.
    func resume() {
        transfer.setPaused(false)
        if !drain.enqueueIfBusy((nil, nil)) { transfer.pauseOrResume() }
    }

    func dispose() {
        if life.dispose() { submit(.dispose) }
    }

    func deadlineReached() {
        let error = HTTPClientError(
            .timeout, phase: .preparing, message: "the request took longer than its \(timeout ?? .zero)",
            recoverySuggestion: .allowMoreTime)
        submit(.interrupt(error))
    }

    /// Submits an input for transfer or delay number `step`, or for the current one if `step` is `nil`.
    func submit(_ input: RequestStateMachine.Input, of step: Int? = nil) {
        var call: TransferCall?
        drain.submit((input, step)) { signal in
            perform(call)
            call = context.run { handle(signal) }
        }
        perform(call)
    }

    private func perform(_ call: TransferCall?) {
        switch call {
        case .start(let transfer)?: transfer.start()
        case .pauseOrResume?: transfer.pauseOrResume()
        case nil: break
        }
    }

    private func handle(_ signal: Signal) -> TransferCall? {
        guard let input = signal.input else { return .pauseOrResume }
        guard state.machine.expects(signal.step) else { return nil }
        switch input {
        case .start: return begin() ? apply(.start) : nil
        case .part(.head(let head)): return apply(completed(head))
        case .ended:
            // A transfer that has ended needs no cancelling.
            transfer.take()
            return apply(input)
        case .decided(.retryWithDelay(let delay)):
            // A wait that ends after the deadline would only keep the outcome from the caller.
            return apply(timeLeft.map { delay >= $0 } == true ? .decided(.doNotRetry) : input)
        default: return apply(input)
        }
    }

    private func apply(_ input: RequestStateMachine.Input) -> TransferCall? {
        var actions = state.machine.apply(input)
        if isMonitored { report(input) }
        var call: TransferCall?
        while var action = actions.next() {
            // A subscriber that disposes at one event stops the events that would follow.
            if life.isDisposed, !input.isDisposal {
                // A machine that has finished ignores the disposal, so the request ends here.
                guard state.machine.isFinished else { break }
                (action, actions) = (.leave, .none)
            }
            do {
                if let next = try perform(action) { call = next }
            } catch {
                actions = state.machine.fail(error)
            }
        }
        return call
    }

    /// Passes a head to the interceptors, and returns how much of the response the retriers want to see.
    private func completed(_ head: HTTPResponse) -> RequestStateMachine.Input {
        let request = state.machine.onWire
        // The cookies and nonces of a stored response are old, and the interceptors have received them before.
        switch state.machine.cacheStatus {
        case nil, .miss?: client.received(head, for: request)
        case .revalidated(let confirmation)?: client.received(confirmation, for: request)
        case .hit?, .stale?, .unsatisfiable?: break
        }
        return .head(head, peek: client.peekLimit(head, for: request), peer: state.peer)
    }

    /// - Returns: whether the request may continue.
    private func begin() -> Bool {
        guard isCounted, timeout.map({ $0 > .zero }) ?? true else {
            if isCounted { deadlineReached() } else { submit(.fail(HTTPClient.refusal(of: state.machine.address))) }
            return false
        }
        // A layer can hold a request back on the client's clock, which stops with the client.
        if isLongLived || !client.layers.isEmpty { state.registration = client.activity.register(self) }
        if let timeout, timeout.attoseconds < Duration.never.attoseconds {
            state.deadline = client.scheduler.setDeadline(after: timeout, from: state.clock.start, for: self)
        }
        return true
    }

    /// - Throws: the error of an output that refuses an event. It ends the request.
    private func perform(_ action: consuming RequestStateMachine.Action) throws -> TransferCall? {
        if isTimed, action.isStep {
            let now = client.scheduler.now
            state.clock.record(action, at: now)
        }
        if case .fail(let error) = action { action = .fail(named(error)) }
        if isMonitored { report(action) }
        switch consume action {
        case .send(let request): return .start(send(request))
        case .observe(let request): observe(request)
        case .cancel: cancelTransfer()
        case .hold(let isHeld):
            transfer.setHeld(isHeld)
            return .pauseOrResume
        case .ask(let attempt): decide(about: attempt)
        case .wait(let delay): wait(delay)
        case .adapt: break
        case .emit(let event): try emit(event)
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
        state.peer = nil
        let transfer = client.transfer(
            request, isOnNewConnection: state.machine.history.isNewAttemptDue,
            to: AttemptReceiver(self, step: state.machine.step))
        state.current = Current()
        self.transfer.set(transfer)
        return transfer
    }

    private func observe(_ request: Request) {
        if let earlier = state.current?.observation { earlier.dispose() }
        let observation = client.observe(RequestInFlight(request: self, step: state.machine.step), of: request)
        state.current?.observation = observation
    }

    /// Asks the retriers. The transfer stays, because the peeked response may still be delivered.
    private func decide(about attempt: Attempt) {
        var attempt = attempt
        attempt.timeLeft = timeLeft
        let step = state.machine.step
        let question = client.decision(about: attempt).subscribe { [self] result in
            switch result {
            case .success(let decision): submit(.decided(decision), of: step)
            case .failure(let error): submit(.decided(.doNotRetryWithError(error)), of: step)
            }
        }
        state.current?.pending = Disposables.create(question, client.activity.register(self))
    }

    private func wait(_ delay: Duration) {
        let step = state.machine.step
        let timer = client.scheduler.scheduleRelative((), dueTime: delay) { [self] in
            submit(.waited, of: step)
            return Disposables.create()
        }
        // Only the subscriber, or the end of the client, ends the delay early.
        state.current = Current(pending: Disposables.create(timer, client.activity.register(self)))
    }

    /// What is left of the timeout.
    private var timeLeft: Duration? { timeout.map { $0 - state.clock.start.duration(to: client.scheduler.now) } }

    private func named(_ error: any Error) -> any Error { state.machine.named(error, peer: state.peer) }

    private func emit(_ event: consuming RequestEvent) throws {
        if case .phase(.connected(let address, _)) = event { state.peer = address }
        try output.receive(event)
    }

    private func finish() {
        release()
        guard life.beginEnd() else { return }
        do {
            let timings = state.clock.end(attempts: state.machine.attempts, at: client.scheduler.now)
            try output.receiveEnd(timings, method: state.machine.onWire.method)
            if life.end() { output.complete() }
        } catch {
            if life.end() { output.fail(named(error)) }
        }
    }

    private func release() {
        cancelTransfer()
        if let deadline = state.deadline.take() { client.scheduler.cancel(deadline) }
        state.registration.take()?.dispose()
        if isCounted { client.activity.leave() }
    }

    private func cancelTransfer() {
        state.current.take()?.dispose()
        transfer.take()?.dispose()
    }

    private func report(_ input: RequestStateMachine.Input) {
        let attempt = state.machine.attempts
        let events = state.monitored?.events(of: input, attempt: attempt, at: client.scheduler.now) ?? []
        for event in events { client.monitor?.receive(event) }
    }

    private func report(_ action: RequestStateMachine.Action) {
        let (clock, attempt, now) = (state.clock, state.machine.attempts, client.scheduler.now)
        let events = state.monitored?.events(of: action, clock, attempt: attempt, at: now) ?? []
        for event in events { client.monitor?.receive(event) }
    }
}
