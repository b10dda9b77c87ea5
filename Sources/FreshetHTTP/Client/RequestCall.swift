import FreshetCore
import HTTPTypes

/// A request that runs, whatever its subscriber gets of it.
protocol RunningRequest: AnyObject, Sendable {
    var client: HTTPClient { get }
    var isLongLived: Bool { get }

    /// Something has happened to its transfer or delay number `step`, or if that is `nil` to whatever there is.
    func submit(_ input: RequestStateMachine.Input, of step: Int?)
}

/// One subscription to a request: does what the ``RequestStateMachine`` says.
///
/// Whatever happens, on whichever thread, arrives through the drain, one thing after the other.
// Unchecked: `state` is touched by what the drain handles alone.
final class RequestCall<Output: RequestOutput>: RuledSource, RunningRequest, Pausable, DeadlineTarget,
    @unchecked Sendable
{
    private typealias Signal = (input: RequestStateMachine.Input, step: Int?)

    private struct State {
        var machine: RequestStateMachine
        var output: Output
        var clock: PhaseClock
        /// There if somebody watches the client.
        var monitored: MonitoredRequest?
        /// The transfer that is under way, or is being decided about.
        var transfer: (any Transfer)?
        /// What interceptors do with it meanwhile.
        var watches: [any Disposable] = []
        /// The question to the retriers, or the delay, that is waited for.
        var pending: (any Disposable)?
        var deadline: DeadlineTicket?
        /// Its place among those that might run for ever.
        var registration: (any Disposable)?
    }

    let client: HTTPClient
    let isLongLived: Bool
    private let observer: RuledObserver<Output.Element>
    private let timeout: Duration?
    private let isMonitored: Bool
    /// Whether somebody is told where its time goes.
    private let isTimed: Bool
    /// Whether the client took it, among those that are running.
    private let isCounted: Bool
    private let drain = Drain<Signal>()
    private let life = SubscriptionLife()
    private var state: State

    init(_ stream: borrowing RuledStream<RequestSeed, Output.Element>, for observer: RuledObserver<Output.Element>) {
        Resources.increment()
        let seed = stream.seed
        let client = seed.client
        let configuration = client.configuration
        // Already here, for whoever drains the client afterwards waits for it.
        isCounted = client.activity.enter()
        timeout = seed.request.timeout ?? configuration.timeout
        isLongLived = seed.request.transfer?.isLongLived ?? configuration.transfer.isLongLived
        isMonitored = client.monitor != nil
        isTimed = Output.tellsTimings || isMonitored
        var request = seed.request
        let monitored = client.monitor.map { MonitoredRequest(&request, by: $0) }
        state = State(
            machine: RequestStateMachine(
                request,
                redirects: RedirectPolicy(
                    limit: configuration.redirectLimit, allowsDowngrade: configuration.allowsDowngradingRedirects)),
            output: Output(seed), clock: PhaseClock(start: client.clock.now), monitored: monitored)
        self.client = client
        self.observer = observer
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
                    remedy: .allowMoreTime)))
    }

    func submit(_ input: RequestStateMachine.Input, of step: Int? = nil) {
        // Started outside of the drain: what a transfer delivers within the call is handled as it comes.
        var transfer: (any Transfer)?
        drain.submit((input, step)) { signal in
            transfer?.start()
            transfer = handle(signal)
        }
        transfer?.start()
    }

    /// - Returns: the transfer that is to be started.
    private func handle(_ signal: Signal) -> (any Transfer)? {
        guard state.machine.expects(signal.step) else { return nil }
        let input = completed(signal.input)
        if case .start = input, !begin() { return nil }
        // It has ended, and needs not be cancelled.
        if case .ended = input { state.transfer = nil }
        let actions = state.machine.apply(input)
        if isMonitored { tell(of: input) }
        var transfer: (any Transfer)?
        for action in actions {
            // A subscriber who leaves at one event stops what would follow it.
            if life.isDisposed, !input.isDisposal { break }
            if let created = perform(action) { transfer = created }
        }
        return transfer
    }

    /// Shows a head to the interceptors, which say how much they want to see of the response.
    private func completed(_ input: RequestStateMachine.Input) -> RequestStateMachine.Input {
        guard case .part(.head(let head)) = input else { return input }
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
            state.deadline = client.clock.setDeadline(after: timeout, from: state.clock.start, for: self)
        }
        return true
    }

    /// - Returns: the transfer that the action has made.
    private func perform(_ action: RequestStateMachine.Action) -> (any Transfer)? {
        if isTimed { state.clock.note(action, at: client.clock.now) }
        if isMonitored { tell(of: action) }
        switch action {
        case .send(let request): return send(request)
        case .watch(let request): watch(request)
        case .cancel: leaveTransfer()
        case .hold(true): state.transfer?.pause()
        case .hold(false): state.transfer?.resume()
        case .ask(let attempt): ask(about: attempt)
        case .wait(let delay): wait(delay)
        case .emit(let event): emit(event)
        case .finish: finish()
        case .fail(let error):
            release()
            if life.end() { observer.onError(error) }
        case .leave: release()
        }
        return nil
    }

    private func send(_ request: Request) -> any Transfer {
        leaveTransfer()
        let transfer = client.transfer(request, to: AttemptReceiver(self, step: state.machine.step))
        state.transfer = transfer
        if state.machine.isPaused { transfer.pause() }
        return transfer
    }

    private func watch(_ request: Request) {
        endWatches()
        let watches = client.watch(RequestInFlight(request: self, step: state.machine.step), of: request)
        state.watches = watches
    }

    /// Asks the retriers. The transfer stays: what was peeked of it may still be delivered.
    private func ask(about attempt: Attempt) {
        let step = state.machine.step
        state.pending = client.decision(about: attempt).subscribe { [self] result in
            switch result {
            case .success(let decision): submit(.decided(decision), of: step)
            case .failure(let error): submit(.decided(.doNotRetryWithError(error)), of: step)
            }
        }
    }

    private func wait(_ delay: Duration) {
        let step = state.machine.step
        let timer = client.scheduler.scheduleRelative((), dueTime: delay) { [self] in
            submit(.waited, of: step)
            return Disposables.create()
        }
        // Nothing ends it meanwhile but the subscriber, or the end of the client.
        state.pending = Disposables.create(timer, client.activity.register(self))
    }

    private func emit(_ event: RequestEvent) {
        do {
            if let element = try state.output.receive(event) { observer.onNext(element) }
        } catch {
            // Whoever takes the error disposes of this.
            observer.onError(error)
        }
    }

    private func finish() {
        release()
        guard life.beginEnd() else { return }
        do {
            let timings = state.clock.end(attempts: state.machine.attempts, at: client.clock.now)
            if let element = try state.output.receiveEnd(timings) { observer.onNext(element) }
            if life.end() { observer.onCompleted() }
        } catch {
            if life.end() { observer.onError(error) }
        }
    }

    private func release() {
        leaveTransfer()
        if let deadline = state.deadline.take() { client.clock.takeBack(deadline) }
        state.registration.take()?.dispose()
        if isCounted { client.activity.leave() }
    }

    private func leaveTransfer() {
        endWatches()
        state.pending.take()?.dispose()
        state.transfer.take()?.dispose()
    }

    private func endWatches() {
        if state.watches.isEmpty { return }
        var watches: [any Disposable] = []
        swap(&watches, &state.watches)
        for watch in watches { watch.dispose() }
    }

    private func tell(of input: RequestStateMachine.Input) {
        let attempt = state.machine.attempts
        let events = state.monitored?.events(of: input, attempt: attempt, at: client.clock.now) ?? []
        for event in events { client.monitor?.take(event) }
    }

    private func tell(of action: RequestStateMachine.Action) {
        let (attempt, now) = (state.machine.attempts, client.clock.now)
        let clock = state.clock
        let events = state.monitored?.events(of: action, clock, attempt: attempt, at: now) ?? []
        for event in events { client.monitor?.take(event) }
    }
}
