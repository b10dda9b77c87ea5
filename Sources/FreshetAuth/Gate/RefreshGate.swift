public import FreshetCore
public import FreshetHTTP

/// Hands out one credential to everybody who needs it, and has it refreshed exactly once, however many need that at once.
///
/// It works for any stream: see ``withCredential(isExpired:_:)``, `flatMapRefreshing(with:isExpired:_:)` and
/// `refreshing(with:isExpired:)`. A credential that has ended, or is about to, is refreshed before it is used; one whose
/// use failed is refreshed and the use repeated, unless it has been replaced in the meantime. Of everything written the
/// order is: persisted, then published, then those who waited go on. A waiter that leaves does not disturb the refresh,
/// which runs on even when nobody waits any more.
///
/// Can be used from any thread. Who waits goes on wherever the store's write ended.
public final class RefreshGate: Sendable {
    typealias Outcome = Result<Credential?, RefreshFailure>

    private struct Core {
        var machine: RefreshStateMachine
        var waiters: [Int: @Sendable (Outcome) -> Void] = [:]
        var lastWaiter = 0
        /// Who is to be told when nothing is under way that must not be lost.
        var settling: [Int: @Sendable () -> Void] = [:]

        mutating func take(_ waiters: [Int]) -> [@Sendable (Outcome) -> Void] {
            waiters.compactMap { self.waiters.removeValue(forKey: $0) }
        }
    }

    public let settings: Settings
    let store: any CredentialStore
    let scheduler: any SchedulerType
    let secondsSince1970: @Sendable () -> Double
    private let refresh: @Sendable (Credential?) -> Single<Credential>
    private let revoke: (@Sendable (Credential) -> Completable)?

    private let core: Locked<Core>
    /// What the machine asks for, one after the other in the order in which it did.
    private let work = Drain<RefreshStateMachine.Action>()
    /// Touched under the drain alone.
    private let flights = Flights()
    private let loginRequests = PublishSubject<LoginRequired>()
    private let refreshReports = PublishSubject<RefreshEvent>()

    /// - Parameters:
    ///   - scheduler: the clock of deadlines and windows; every write starts on it, one at a time.
    ///   - secondsSince1970: the wall clock, which expiry is measured by.
    ///   - refresh: a new credential in exchange for one, or for nothing if the store is empty; see
    ///     ``Authenticator/refresh(_:)``. It must not block.
    ///   - revoke: tells the server that a credential is not to work any more; see ``Authenticator/revoke(_:)``.
    @preconcurrency
    public init(
        store: any CredentialStore, scheduler: any SchedulerType,
        secondsSince1970: @escaping @Sendable () -> Double = WallClock.secondsSince1970,
        settings: Settings = Settings(), revoke: (@Sendable (Credential) -> Completable)? = nil,
        refresh: @escaping @Sendable (Credential?) -> Single<Credential>
    ) {
        self.store = store
        self.scheduler = SerialScheduler(over: scheduler)
        self.secondsSince1970 = secondsSince1970
        self.settings = settings
        self.refresh = refresh
        self.revoke = revoke
        core = Locked(Core(machine: RefreshStateMachine(limits: settings.limits)))
    }

    /// Somebody has to log in: emitted once, and again only after a login. Never ends.
    public var loginRequired: Observable<LoginRequired> { loginRequests.asObservable() }

    /// Each refresh, when it is over.
    public var refreshes: Observable<RefreshEvent> { refreshReports.asObservable() }

    /// The credential that was last published, whether it still works or not; `nil` before the first use of the gate
    /// and when the session is over.
    public var current: Credential? {
        core.withLock { core in
            if case .active(let held) = core.machine.session { held.credential } else { nil }
        }
    }

    /// A credential to use now, refreshed before if need be.
    ///
    /// Fails with an `HTTPClientError` of code `loginRequired`, `refreshFailed`, `refreshStorm` or `store`, whose
    /// `underlying` is the refresh's own error.
    ///
    /// - Parameter generation: the credential whose use has failed as one does that has ended; the answer is another.
    public func credential(replacing generation: Int? = nil) -> Single<Credential> {
        .create { observer in
            self.acquire(replacing: generation) { observer($0.mapError { $0.clientError }) }
        }
    }

    /// Stores `credential`: persisted, then published. A refresh in flight is fenced off, and its answer dropped.
    ///
    /// Runs to its end, also when the subscription is disposed of. Fails with an `HTTPClientError` of code `store`, or
    /// `invalidRequest` if a token holds what no header field can.
    public func login(_ credential: Credential) -> Single<Credential> {
        guard credential.isSendable else {
            return .error(
                HTTPClientError(
                    .invalidRequest, phase: .preparing,
                    message: "a token is empty or holds other characters than printable ASCII; give it as it was issued"
                ))
        }
        return write { .login(waiter: $0, credential) }.map { $0 ?? credential }
    }

    /// Empties the store and fences off a refresh in flight. Requests that wait fail with `loginRequired`.
    public func logout() -> Single<Void> {
        write { .logout(waiter: $0) }.map { _ in }
    }

    /// Completes as soon as no refresh has been asked for whose answer is not stored yet, and nothing else is being written.
    ///
    /// A program that ends before may have spent its refresh token for nothing. Bounded by ``Settings/deadline``.
    public func settled() -> Single<Void> {
        .create { observer in
            let number = self.core.withLock { core -> Int? in
                guard core.machine.isExchanging else { return nil }
                core.lastWaiter += 1
                core.settling[core.lastWaiter] = { observer(.success(())) }
                return core.lastWaiter
            }
            if number == nil { observer(.success(())) }
            return Disposables.create {
                guard let number else { return }
                self.core.withLock { _ = $0.settling.removeValue(forKey: number) }
            }
        }
    }

    private func write(_ input: @escaping @Sendable (Int) -> RefreshStateMachine.Input) -> Single<Credential?> {
        .create { observer in
            self.wait({ observer($0.mapError { $0.clientError }) }, as: input)
        }
    }
}

extension RefreshGate {
    /// Calls `completion` once, unless the result is disposed of before.
    func acquire(
        replacing generation: Int?, _ completion: @escaping @Sendable (Result<Credential, RefreshFailure>) -> Void
    ) -> any Disposable {
        let moment = moment
        if let credential = core.withLock({ $0.machine.ready(replacing: generation, at: moment) }) {
            completion(.success(credential))
            return Disposables.create()
        }
        return wait(
            { outcome in
                completion(outcome.flatMap { $0.map(Result.success) ?? .failure(.loginRequired(.noCredential)) })
            },
            as: { .requested(waiter: $0, replacing: generation) })
    }

    private var moment: Moment { Moment(wall: secondsSince1970(), monotonic: scheduler.now) }

    private func wait(
        _ completion: @escaping @Sendable (Outcome) -> Void, as input: (Int) -> RefreshStateMachine.Input
    ) -> any Disposable {
        let waiter = core.withLock { core in
            core.lastWaiter += 1
            core.waiters[core.lastWaiter] = completion
            return core.lastWaiter
        }
        send(input(waiter))
        return Disposables.create {
            self.core.withLock { core in
                guard core.waiters.removeValue(forKey: waiter) != nil else { return }
                core.machine.left(waiter)
            }
        }
    }

    private func send(_ input: RefreshStateMachine.Input) {
        let moment = moment
        var told: [(@Sendable (Outcome) -> Void, Outcome)] = []
        var settled: [@Sendable () -> Void] = []
        let isToDrain = core.withLock { core in
            var isToDrain = false
            for action in core.machine.handle(input, at: moment) {
                switch action {
                case .release(let waiters, let credential):
                    told += core.take(waiters).map { ($0, .success(credential)) }
                case .fail(let waiters, let failure):
                    told += core.take(waiters).map { ($0, .failure(failure)) }
                default:
                    // Under the lock, so that the order is the machine's whichever thread comes first.
                    isToDrain = work.enqueue(action) || isToDrain
                }
            }
            if !core.settling.isEmpty, !core.machine.isExchanging {
                settled = Array(core.settling.values)
                core.settling = [:]
            }
            return isToDrain
        }
        if isToDrain { work.drain(to: perform) }
        for (completion, outcome) in told { completion(outcome) }
        for completion in settled { completion() }
    }

    private func perform(_ action: RefreshStateMachine.Action) {
        switch action {
        case .peek(let id):
            flight(id).run(on: scheduler, { self.store.load() }) { result in
                self.send(.peeked(flight: id, try? result.get()))
            }
        case .open(let id):
            let isFirst = flights[id] == nil
            let flight = flight(id)
            if flight.wantsLock() { open(flight, id) }
            // A login and a logout open without a peek, and need the lock in any case.
            if !isFirst { watch(flight, id) }
        case .refresh(let id, let credential):
            flights[id]?.run(on: scheduler, { self.refresh(credential) }) { result in
                self.send(.answered(flight: id, self.answer(from: result)))
            }
        case .persist(let id, let record):
            guard let flight = flights[id], let lease = flight.lease else { return }
            flight.run(on: scheduler, { lease.save(record) }) { result in
                self.send(.persisted(flight: id, result.failure))
            }
        case .detach(let id): flights[id]?.unlock()
        case .close(let id): flights.remove(id)?.close()
        case .announce(let reason): loginRequests.onNext(reason)
        case .report(let event): refreshReports.onNext(event)
        case .release, .fail: break
        }
    }

    private func flight(_ id: Int) -> RefreshFlight {
        if let flight = flights[id] { return flight }
        let flight = RefreshFlight()
        flights[id] = flight
        flight.limit(
            by: scheduler.scheduleRelative((), dueTime: settings.deadline) {
                self.send(.overdue(flight: id))
                return Disposables.create()
            })
        return flight
    }

    private func watch(_ flight: RefreshFlight, _ id: Int) {
        flight.watch(
            scheduler.scheduleRelative((), dueTime: .milliseconds(20)) {
                self.store.load().subscribe { self.send(.peeked(flight: id, try? $0.get())) }
            })
    }

    private func open(_ flight: RefreshFlight, _ id: Int) {
        flight.run(on: scheduler, { self.store.lock() }) { result in
            switch result {
            case .failure(let error): self.send(.opened(flight: id, .unlockable(error)))
            case .success(let lease):
                flight.hold(lease)
                flight.run(on: self.scheduler, { lease.load() }) { result in
                    switch result {
                    case .success(let stored): self.send(.opened(flight: id, .found(stored)))
                    case .failure(let error): self.send(.opened(flight: id, .unreadable(error)))
                    }
                }
            }
        }
    }

    private func answer(from result: SingleEvent<Credential>) -> RefreshStateMachine.Answer {
        switch result {
        case .success(let credential): .credential(credential)
        case .failure(let error): settings.isRefusal(error) ? .refused(error) : .failed(error)
        }
    }
}

/// The flights that are not over. Confined to the gate's drain.
private final class Flights: @unchecked Sendable {
    private var running: [Int: RefreshFlight] = [:]

    subscript(_ id: Int) -> RefreshFlight? {
        get { running[id] }
        set { running[id] = newValue }
    }

    func remove(_ id: Int) -> RefreshFlight? {
        running.removeValue(forKey: id)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
