import FreshetCore
import HTTPTypes
import Synchronization

/// One subscription to a request: does what the ``RequestStateMachine`` says.
///
/// Whatever happens, on whichever thread, arrives through the drain; all state is touched there.
final class RequestCall: Pausable, DeadlineTarget, @unchecked Sendable {
    private enum Signal {
        case input(RequestStateMachine.Input, step: Int)
        case interrupted(any Error, step: Int)
        case credentialChanged(CredentialChange, step: Int)
        case hold(Bool)
        case deadline
        case dispose
        case shutdown
    }

    let client: HTTPClient
    private let observer: RuledObserver<RequestEvent>
    private let timeout: Duration?
    /// Whom the request is at, which redirects change.
    @exclusivity(unchecked) var address: RequestURL
    private let drain = Drain<Signal>()
    /// Set before the drain gets to it, so that a subscriber that leaves at one event stops what would follow it.
    private let isDisposed = Atomic<Bool>(false)

    @exclusivity(unchecked) var machine: RequestStateMachine
    @exclusivity(unchecked) private var actions: [RequestStateMachine.Action] = []
    @exclusivity(unchecked) var clock: PhaseClock
    @exclusivity(unchecked) var untilHead = Duration.zero
    /// There if somebody watches the client.
    let monitored: RequestWatch?
    @exclusivity(unchecked) var phase = HTTPClientError.Phase.preparing
    @exclusivity(unchecked) var hasBody = false
    @exclusivity(unchecked) private var deadline: (any Disposable)?
    /// The transfer, retrier or delay that is under way, and its number: what an earlier one says is stale.
    @exclusivity(unchecked) var current: (any Disposable)?
    /// Whether `current` is a transfer that needs no end from here once it has ended.
    @exclusivity(unchecked) var isTransferring = false
    @exclusivity(unchecked) var step = 0
    /// What the interceptors do with it meanwhile.
    @exclusivity(unchecked) var watch: (any Disposable)?
    /// As it went out, if somebody wants to know.
    @exclusivity(unchecked) var onWire: Request?
    @exclusivity(unchecked) private var isHeldByConsumer = false
    @exclusivity(unchecked) private var isHeldByMachine = false
    @exclusivity(unchecked) private var isOver = false
    let isLongLived: Bool
    /// Among those that are running, and among those that might run for ever.
    @exclusivity(unchecked) var isCounted = false
    @exclusivity(unchecked) var isNoted = false

    init(_ request: Request, by client: HTTPClient, for observer: RuledObserver<RequestEvent>) {
        self.client = client
        self.observer = observer
        timeout = request.timeout ?? client.configuration.timeout
        address = request.url
        isLongLived = request.transfer?.isLongLived ?? client.configuration.transfer.isLongLived
        clock = PhaseClock(start: client.scheduler.now)
        var request = request
        monitored = client.monitor.map { RequestWatch(&request, by: $0, scheduler: client.scheduler) }
        machine = RequestStateMachine(
            request,
            redirects: RedirectPolicy(
                limit: client.configuration.redirectLimit,
                allowsDowngrade: client.configuration.allowsDowngradingRedirects),
            hasRetriers: !client.interceptors.isEmpty,
            peekLimit: client.peekLimit)
        Resources.increment()
    }

    deinit { Resources.decrement() }

    func start() {
        let timeout = timeout.flatMap { $0 < .never ? $0 : nil }
        if let timeout, let deadlines = client.deadlines {
            deadline = deadlines.setDeadline(after: timeout, for: self)
        } else if let timeout {
            deadline = client.scheduler.scheduleRelative((), dueTime: timeout) { [self] in
                drain.submit(.deadline, to: handle)
                return Disposables.create()
            }
        }
        monitored?.tell(.started)
        guard drain.enter() else { return }
        if !isOver { begin() }
        drain.leave(to: handle)
    }

    func dispose() {
        if !isDisposed.exchange(true, ordering: .acquiringAndReleasing) { drain.submit(.dispose, to: handle) }
    }

    func deadlineReached() { drain.submit(.deadline, to: handle) }

    /// Ends it, whatever it is doing: the client is shutting down.
    func endForGood() { drain.submit(.shutdown, to: handle) }

    func pause() { drain.submit(.hold(true), to: handle) }
    func resume() { drain.submit(.hold(false), to: handle) }

    func end(_ step: Int, with error: any Error) {
        drain.submit(.interrupted(error, step: step), to: handle)
    }

    func tell(_ step: Int, _ change: CredentialChange) {
        drain.submit(.credentialChanged(change, step: step), to: handle)
    }

    func submit(_ input: RequestStateMachine.Input, _ step: Int) {
        guard drain.enter() else {
            if drain.enqueue(.input(input, step: step)) { drain.drain(to: handle) }
            return
        }
        if !isOver, step == self.step { take(input) }
        drain.leave(to: handle)
    }

    private func handle(_ signal: Signal) {
        if isOver { return }
        switch signal {
        case .dispose:
            monitored?.cancelled(timings)
            finish()
        case .hold(let isHeld):
            isHeldByConsumer = isHeld
            forwardHold()
        case .deadline:
            let error = HTTPClientError(
                .timeout, phase: phase, origin: address.origin.description,
                message: "the request took longer than its \(timeout ?? .zero); try again or allow it more time")
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
            guard step == self.step, !isDisposed.load(ordering: .acquiring) else { return }
            monitored?.tell(.credentialChanged(change))
            observer.onNext(.credentialChanged(change))
        }
    }

    private func take(_ input: RequestStateMachine.Input) {
        monitored?.take(input)
        if !client.watchers.isEmpty { tellWatchers(of: input) }
        switch input {
        case .ended, .failed(_, isFinal: false):
            if isTransferring { current = nil }
            isTransferring = false
        default: break
        }
        switch input {
        case .adapted(let request):
            machine.adapted(request)
            beginWatching(request)
        case .part(let part):
            take(part)
        case .ended where machine.endDelivery():
            complete()
        default:
            machine.take(input, &actions)
            perform()
        }
    }

    /// What goes on as it is goes on at once; for the rest the machine says what to do.
    private func take(_ part: ResponsePart) {
        if machine.isQueued, let event = machine.beginAttempt() { emit(event) }
        switch part {
        case .head(let head):
            if let url = machine.deliver(head) { return emit(.head(head, url: url)) }
        case .phase(let phase) where machine.passesParts:
            return emit(.phase(phase))
        case .body(let bytes) where machine.passesParts:
            return emit(.body(bytes))
        default:
            if machine.passesParts, let event = RequestEvent(part) { return emit(event) }
        }
        machine.take(.part(part), &actions)
        perform()
    }

    private func emit(_ event: RequestEvent) {
        guard !isOver, !isDisposed.load(ordering: .acquiring) else { return }
        note(event)
        observer.onNext(event)
    }

    private func complete() {
        let timings = timings
        monitored?.finished(timings)
        emit(.finished(timings))
        finish()
        if !isDisposed.exchange(true, ordering: .acquiringAndReleasing) { observer.onCompleted() }
    }

    private func perform() {
        var index = 0
        while index < actions.count, !isOver, !isDisposed.load(ordering: .acquiring) {
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
            clock.leave(at: client.scheduler.now)
            ask(about: attempt)
        case .wait(let delay):
            leaveCurrent()
            if !isNoted { note() }
            let step = step
            current = client.scheduler.scheduleRelative((), dueTime: delay) { [self] in
                drain.submit(.input(.waited, step: step), to: handle)
                return Disposables.create()
            }
        case .cancel:
            leaveCurrent()
        case .hold(let isHeld):
            isHeldByMachine = isHeld
            forwardHold()
        case .emit(let event):
            emit(event)
        case .finish:
            complete()
        case .fail(let error):
            monitored?.failed(error, timings)
            finish()
            if !isDisposed.exchange(true, ordering: .acquiringAndReleasing) { observer.onError(error) }
        }
    }

    private var timings: RequestTimings {
        clock.timings(attempts: machine.attempts, untilHead: untilHead, at: client.scheduler.now)
    }

    func send(_ request: Request) {
        phase = .queued
        leaveCurrent()
        clock.queue(request, at: client.scheduler.now)
        monitored?.queued(request)
        let request = client.hasDefaultTransfer ? request : request.withTransfer(client.configuration.transfer)
        guard let transport = client.directTransport else { return stream(request) }
        let transfer = transport.transfer(request, number: step, to: self)
        current = transfer
        isTransferring = true
        if isHeldByConsumer { transfer.pause() }
        transfer.begin()
    }

    private func stream(_ request: Request) {
        let step = step
        current = client.transport.send(request) { [self] in prepare($0, for: step) }.subscribe { [self] event in
            switch event {
            case .next(let part): take(part, of: step)
            case .error(let error): end(error, of: step)
            case .completed: end(nil, of: step)
            }
        }
        forwardHold()
    }

    private func leaveCurrent() {
        step += 1
        // To write what is there already costs as much as to let go of something.
        if watch != nil {
            watch?.dispose()
            watch = nil
        }
        isHeldByMachine = false
        if current != nil {
            current?.dispose()
            current = nil
        }
        isTransferring = false
    }

    private func forwardHold() {
        guard let current = current as? any Pausable else { return }
        if isHeldByConsumer || isHeldByMachine { current.pause() } else { current.resume() }
    }

    func finish(with error: any Error) {
        machine.take(.failed(error, isFinal: true), &actions)
        perform()
    }

    private func finish() {
        isOver = true
        leaveCurrent()
        deadline?.dispose()
        deadline = nil
        if isNoted { client.activity.forget(self) }
        if isCounted { client.activity.leave() }
    }
}
