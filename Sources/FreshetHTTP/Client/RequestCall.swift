import FreshetCore
import HTTPTypes
import Synchronization

/// One subscription to a request: does what the ``RequestStateMachine`` says.
///
/// Whatever happens, on whichever thread, arrives through the drain; all state is touched there.
final class RequestCall: Pausable, @unchecked Sendable {
    private enum Signal {
        case input(RequestStateMachine.Input, step: Int)
        case interrupted(any Error, step: Int)
        case credentialChanged(CredentialChange, step: Int)
        case hold(Bool)
        case deadline
        case dispose
    }

    private let client: HTTPClient
    private let observer: AnyObserver<RequestEvent>
    private let timeout: Duration?
    /// Whom the request is at, which redirects change.
    private var origin: String
    private let drain = Drain<Signal>()
    /// Set before the drain gets to it, so that a subscriber that leaves at one event stops what would follow it.
    private let isDisposed = Atomic<Bool>(false)

    private var machine: RequestStateMachine
    private var actions: [RequestStateMachine.Action] = []
    private var clock: PhaseClock
    private var untilHead = Duration.zero
    /// There if somebody watches the client.
    private let monitored: RequestWatch?
    private var phase = HTTPClientError.Phase.preparing
    private var hasBody = false
    private var deadline: (any Disposable)?
    /// The transfer, retrier or delay that is under way, and its number: what an earlier one says is stale.
    private var current: (any Disposable)?
    private var step = 0
    /// What the interceptors do with it meanwhile.
    private var watch: (any Disposable)?
    /// As it went out, if somebody wants to know.
    private var onWire: Request?
    private var isHeldByConsumer = false
    private var isHeldByMachine = false
    private var isOver = false

    init(_ request: Request, by client: HTTPClient, for observer: AnyObserver<RequestEvent>) {
        self.client = client
        self.observer = observer
        timeout = request.timeout ?? client.configuration.timeout
        origin = request.url.origin.description
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
        if let timeout {
            deadline = client.scheduler.scheduleRelative((), dueTime: timeout) { [self] in
                drain.submit(.deadline, to: handle)
                return Disposables.create()
            }
        }
        monitored?.tell(.started)
        drain.submit(.input(.start, step: step), to: handle)
    }

    func dispose() {
        isDisposed.store(true, ordering: .releasing)
        drain.submit(.dispose, to: handle)
    }

    func pause() { drain.submit(.hold(true), to: handle) }
    func resume() { drain.submit(.hold(false), to: handle) }

    func end(_ step: Int, with error: any Error) {
        drain.submit(.interrupted(error, step: step), to: handle)
    }

    func tell(_ step: Int, _ change: CredentialChange) {
        drain.submit(.credentialChanged(change, step: step), to: handle)
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
                .timeout, phase: phase, origin: origin,
                message: "the request took longer than its \(timeout ?? .zero); try again or allow it more time")
            machine.take(.failed(error, isFinal: true), &actions)
            perform()
        case .input(let input, let step):
            guard step == self.step else { return }
            monitored?.take(input)
            if !client.watchers.isEmpty { tellWatchers(of: input) }
            machine.take(input, &actions)
            perform()
            if case .adapted(let request) = input { beginWatching(request) }
        case .interrupted(let error, let step):
            guard step == self.step else { return }
            machine.take(.failed(located(error), isFinal: true), &actions)
            perform()
        case .credentialChanged(let change, let step):
            guard step == self.step, !isDisposed.load(ordering: .acquiring) else { return }
            monitored?.tell(.credentialChanged(change))
            observer.onNext(.credentialChanged(change))
        }
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
            phase = .queued
            send(request)
        case .ask(let attempt):
            clock.leave(at: client.scheduler.now)
            ask(about: attempt)
        case .wait(let delay):
            leaveCurrent()
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
            note(event)
            observer.onNext(event)
        case .finish:
            let timings = timings
            monitored?.finished(timings)
            observer.onNext(.finished(timings))
            observer.onCompleted()
            finish()
        case .fail(let error):
            monitored?.failed(error, timings)
            observer.onError(error)
            finish()
        }
    }

    private var timings: RequestTimings {
        clock.timings(attempts: machine.attempts, untilHead: untilHead, at: client.scheduler.now)
    }

    private func send(_ request: Request) {
        leaveCurrent()
        clock.queue(request, at: client.scheduler.now)
        monitored?.queued(request)
        let step = step
        current = client.transport.send(request.withTransfer(client.configuration.transfer)) { [self] request in
            let adapted = monitored?.announced(client.adapted(request)) ?? client.adapted(request)
            if let known = adapted.knownSuccess {
                drain.submit(.input(.adapted(known), step: step), to: handle)
                return adapted
            }
            return adapted.map { [self] adapted in
                drain.submit(.input(.adapted(adapted), step: step), to: handle)
                return adapted
            }.catch { [self] error in
                drain.submit(.input(.failed(error, isFinal: true), step: step), to: handle)
                return .error(error)
            }
        }.subscribe { [self] event in
            let input: RequestStateMachine.Input =
                switch event {
                case .next(let part): .part(part)
                case .error(let error): .failed(error, isFinal: false)
                case .completed: .ended
                }
            drain.submit(.input(input, step: step), to: handle)
        }
        forwardHold()
    }

    /// Asks the retriers. The transfer stays: what was peeked of it may still be delivered.
    private func ask(about attempt: Attempt) {
        if case .response = attempt.outcome { phase = .refreshing }
        let transfer = current
        current = nil
        let step = step
        let question = client.decision(about: attempt).subscribe { [self] result in
            let decision: RetryResult =
                switch result {
                case .success(let decision): decision
                case .failure(let error): .doNotRetryWithError(error)
                }
            drain.submit(.input(.decided(decision), step: step), to: handle)
        }
        current = transfer.map { TransferInQuestion(transfer: $0, question: question) } ?? question
    }

    private func tellWatchers(of input: RequestStateMachine.Input) {
        switch input {
        case .adapted(let request):
            onWire = request
        case .part(.head(let head)):
            guard let onWire else { return }
            for watcher in client.watchers { watcher.received(head, for: onWire) }
        default:
            break
        }
    }

    /// Again, if it was adapted again because it had to wait afterwards.
    private func beginWatching(_ request: Request) {
        watch?.dispose()
        watch = nil
        for interceptor in client.interceptors {
            guard let next = interceptor.watch(RequestInFlight(call: self, step: step), of: request) else { continue }
            watch = watch.map { Disposables.create($0, next) } ?? next
        }
    }

    private func located(_ error: any Error) -> any Error {
        guard var error = error as? HTTPClientError else { return error }
        error.origin = origin
        error.phase = phase
        return error
    }

    private func leaveCurrent() {
        step += 1
        watch?.dispose()
        watch = nil
        isHeldByMachine = false
        current?.dispose()
        current = nil
    }

    private func forwardHold() {
        guard let current = current as? any Pausable else { return }
        if isHeldByConsumer || isHeldByMachine { current.pause() } else { current.resume() }
    }

    private func finish() {
        isOver = true
        leaveCurrent()
        deadline?.dispose()
        deadline = nil
    }

    private func note(_ event: RequestEvent) {
        switch event {
        case .attempt(_, let request): hasBody = !request.body.isEmpty
        case .phase(let transferPhase):
            phase = transferPhase.following(sending: hasBody)
            clock.reach(transferPhase, at: client.scheduler.now)
        case .sent:
            clock.sendPiece(at: client.scheduler.now)
        case .redirect(let status, let url):
            phase = .redirecting
            origin = url.origin.description
            clock.answer(at: client.scheduler.now)
            monitored?.redirected(status, to: url)
        case .retry(let delay, let outcome):
            monitored?.retries(after: delay, dueTo: outcome)
        case .head:
            phase = .receiving
            let now = client.scheduler.now
            clock.answer(at: now)
            untilHead = clock.start.duration(to: now)
        default: break
        }
    }
}
