import FreshetCore
import HTTPTypes

/// One subscription to a request: does what the ``RequestStateMachine`` says. What its subscriber gets is an ``EventCall``'s
/// or an ``AnswerCall``'s.
///
/// Whatever happens, on whichever thread, arrives through the drain; all state is touched there.
class RequestCall: Interruptible, Pausable, DeadlineTarget, LoopWork, @unchecked Sendable {
    enum Signal {
        case input(RequestStateMachine.Input, step: Int)
        case interrupted(any Error, step: Int)
        case credentialChanged(CredentialChange, step: Int)
        case hold(Bool)
        case begin(Instant)
        case deadline
        case dispose
        case shutdown
    }

    let client: HTTPClient
    /// What an answer's status may be.
    let accepted: AcceptedStatuses
    private let timeout: Duration?
    /// Where redirects have led.
    @exclusivity(unchecked) var newAddress: RequestURL?
    private let drain = Drain<Signal>()
    let life = SubscriptionLife()

    @exclusivity(unchecked) var machine: RequestStateMachine
    @exclusivity(unchecked) private var actions: [RequestStateMachine.Action] = []
    /// Whether somebody is told where its time goes.
    let isTimed: Bool
    /// Whether somebody sees all that comes.
    let isWatched: Bool
    @exclusivity(unchecked) var clock: PhaseClock
    /// Of the answer whose head came last.
    @exclusivity(unchecked) var status = 0
    /// There if somebody watches the client.
    let monitored: RequestWatch?
    @exclusivity(unchecked) var phase = HTTPClientError.Phase.preparing
    @exclusivity(unchecked) var hasLongBody = false
    /// Whether the transfer that is under way is over TLS.
    @exclusivity(unchecked) private(set) var isSecure = false
    @exclusivity(unchecked) private var deadline: DeadlineTicket?
    /// The transfer that is under way, or is being decided about.
    @exclusivity(unchecked) private var transfer: (any DirectTransfer)?
    /// The question to the retriers, or the delay, that is waited for.
    @exclusivity(unchecked) var pending = DisposableSlot()
    /// The number of the transfer, question or delay: what an earlier one says is stale.
    @exclusivity(unchecked) var step = 0
    /// What the interceptors do with it meanwhile.
    @exclusivity(unchecked) var watches = DisposableSlot()
    /// The list that this attempt stands in; see `Interruptible`.
    @exclusivity(unchecked) var list: Locked<Interruptibles>?
    @exclusivity(unchecked) private var isHeldByConsumer = false
    @exclusivity(unchecked) private var isHeldByMachine = false
    @exclusivity(unchecked) private var isOver = false
    let isLongLived: Bool
    /// Among those that are running, and among those that might run for ever.
    let isCounted: Bool
    @exclusivity(unchecked) var isNoted = false

    init(_ request: Request, by client: HTTPClient, accepting accepted: AcceptedStatuses, tellsTimings: Bool) {
        // What is the object's own is not read while it is made, for that would be to hold it.
        Resources.increment()
        let watched = client.monitor.map { Self.watch(request, by: $0, of: client) }
        // Already here, for whoever drains the client afterwards waits for it.
        isCounted = client.activity.enter()
        timeout = request.timeout ?? client.configuration.timeout
        isLongLived = request.transfer?.isLongLived ?? client.configuration.transfer.isLongLived
        clock = PhaseClock(start: withHeld(client.clock) { $0.now() })
        monitored = watched?.watch
        isTimed = tellsTimings || watched != nil
        isWatched = watched != nil || !client.watchers.isEmpty
        machine = RequestStateMachine(
            watched?.request ?? request,
            redirects: RedirectPolicy(
                limit: client.configuration.redirectLimit,
                allowsDowngrade: client.configuration.allowsDowngradingRedirects),
            peeking: client.peeking)
        self.client = client
        self.accepted = accepted
        super.init()
    }

    deinit { Resources.decrement() }

    /// What the subscriber gets, in whichever form.
    func pass(_ event: consuming RequestEvent) {}
    func pass(_ head: consuming HTTPResponse, from url: consuming RequestURL) {}
    func pass(_ error: any Error) {}
    /// The answer has come to its end. It is ``finish()`` that ends the request.
    func passEnd(at now: @autoclosure () -> Instant) {}
    /// How long a body may be that is wanted in one piece; 0 if each is wanted as it comes.
    var wholeBodyLimit: Int { 0 }

    func start() {
        monitored?.tell(.started)
        if !isCounted || !client.transfers.carry(self, for: machine.original) { begin(at: clock.start) }
    }

    /// It has come to where transfers run: all of it happens there, and what two threads would count by turns is one's.
    func runOnLoop() { begin(at: now) }

    /// The transfer begins once this is out of the drain: what it does at once can be handled at once then, too, and does
    /// not queue up behind what has caused it.
    private func begin(at now: Instant) {
        guard enter() else { return submit(.begin(now)) }
        let transfer = isOver ? nil : firstTransfer(at: now)
        leave()
        transfer?.begin()
    }

    func dispose() {
        if life.dispose() { submit(.dispose) }
    }

    func deadlineReached() { submit(.deadline) }

    /// Ends it, whatever it is doing: the client is shutting down.
    func endForGood() { submit(.shutdown) }

    func pause() { submit(.hold(true)) }
    func resume() { submit(.hold(false)) }

    override func interrupt(_ number: Int, with error: HTTPClientError) { end(number, with: error) }

    func end(_ step: Int, with error: any Error) { submit(.interrupted(error, step: step)) }
    func tell(_ step: Int, _ change: CredentialChange) { submit(.credentialChanged(change, step: step)) }

    /// Something has happened to what `step` was.
    func submit(_ input: RequestStateMachine.Input, _ step: Int) {
        guard enter() else { return submit(.input(input, step: step)) }
        if concerns(step) { take(input) }
        leave()
    }

    /// Whether what happens can be handled at once; then ``leave()`` follows.
    func enter() -> Bool { drain.enter() }

    func leave() { drain.leave { handle($0) } }

    func submit(_ signal: Signal) { drain.submit(signal) { handle($0) } }

    func concerns(_ step: Int) -> Bool { !isOver && step == self.step }

    /// Whether nobody is to hear anything any more.
    var isSilent: Bool { isOver || life.isDisposed }

    /// Whom the request is at.
    var address: RequestURL { newAddress ?? machine.original.url }

    private func handle(_ signal: Signal) {
        if isOver { return }
        switch signal {
        case .dispose:
            monitored?.cancelled(timings(at: now))
            finish()
        case .hold(let isHeld):
            isHeldByConsumer = isHeld
            forwardHold()
        case .begin(let now):
            firstTransfer(at: now)?.begin()
        case .deadline:
            let error = HTTPClientError(
                .timeout, phase: phase, origin: address.origin.description,
                message: "the request took longer than its \(timeout ?? .zero)", remedy: .allowMoreTime)
            finish(with: error)
        case .shutdown:
            finish(with: located(HTTPClient.shuttingDown(address, isUnsent: false)))
        case .input(let input, let step):
            guard step == self.step else { return }
            take(input)
        case .interrupted(let error, let step):
            guard step == self.step else { return }
            finish(with: located(error))
        case .credentialChanged(let change, let step):
            guard step == self.step, !life.isDisposed else { return }
            monitored?.tell(.credentialChanged(change))
            pass(.credentialChanged(change))
        }
    }

    private func take(_ input: RequestStateMachine.Input) {
        if case .part(let part) = input { return take(part) }
        tell(of: input)
        switch input {
        case .adapted(let request):
            machine.adapted(request)
            beginWatching(request)
        case .ended:
            transfer = nil
            if machine.endDelivery() { return complete() }
            advance(with: input)
        case .failed(_, isFinal: false):
            transfer = nil
            advance(with: input)
        default:
            advance(with: input)
        }
    }

    private func complete() {
        guard let monitored else { return passEnd(at: now) }
        let now = now
        monitored.finished(timings(at: now))
        passEnd(at: now)
    }

    func advance(with input: RequestStateMachine.Input) {
        machine.take(input, &actions)
        var index = 0
        while index < actions.count, !isSilent {
            perform(actions[index])
            index += 1
        }
        actions.removeAll(keepingCapacity: true)
    }

    private func perform(_ action: RequestStateMachine.Action) {
        switch action {
        case .send(let request):
            send(request)
        case .ask(let attempt):
            clock.leave(at: now)
            ask(about: attempt)
        case .wait(let delay):
            leaveCurrent()
            if !isNoted { note() }
            let step = step
            pending.add(
                client.scheduler.scheduleRelative((), dueTime: delay) { [self] in
                    submit(.input(.waited, step: step))
                    return Disposables.create()
                })
        case .cancel:
            leaveCurrent()
        case .hold(let isHeld):
            isHeldByMachine = isHeld
            forwardHold()
        case .emit(.head(let head, let url)):
            emit(head, from: url)
        case .emit(let event):
            emit(event)
        case .finish:
            complete()
        case .fail(let error):
            monitored?.failed(error, timings(at: now))
            finish()
            if life.end() { pass(error) }
        }
    }

    private func send(_ request: Request) { nextTransfer(request).begin() }

    func nextTransfer(_ request: Request) -> any DirectTransfer {
        phase = .queued
        leaveCurrent()
        isSecure = request.url.isSecure
        if isTimed { clock.queue(isSecure: isSecure, at: now) }
        let options = request.transfer ?? client.configuration.transfer
        monitored?.queued(request.withTransfer(options))
        let transfer = client.transfers.transfer(request, options: options, number: step, to: self)
        self.transfer = transfer
        if isHeldByConsumer { transfer.pause() }
        return transfer
    }

    private func leaveCurrent() {
        step += 1
        isHeldByMachine = false
        endWatching()
        pending.empty()
        transfer.take()?.dispose()
    }

    private func forwardHold() {
        if isHeldByConsumer || isHeldByMachine { transfer?.pause() } else { transfer?.resume() }
    }

    func setDeadline(from now: Instant) {
        guard var timeout, timeout.attoseconds < Duration.never.attoseconds else { return }
        // Counted from the start, wherever that was.
        if now > clock.start { timeout = max(.nanoseconds(1), timeout - clock.start.duration(to: now)) }
        deadline = withHeld(client.clock) { $0.setDeadline(after: timeout, from: now, for: self) }
    }

    func finish(with error: any Error) { advance(with: .failed(error, isFinal: true)) }

    func finish() {
        isOver = true
        leaveCurrent()
        if let deadline = deadline.take() { withHeld(client.clock) { $0.takeBack(deadline) } }
        if isNoted { client.activity.forget(self) }
        if isCounted { withHeld(client.activity) { $0.leave() } }
    }
}
