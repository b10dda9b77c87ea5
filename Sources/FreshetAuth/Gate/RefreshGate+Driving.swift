import FreshetCore
import FreshetHTTP
import Synchronization

// What drives the machine: whoever has something to tell it does so under the lock, and what it asks for is done after that,
// one thing after the other.
extension RefreshGate {
    typealias Outcome = Result<Credential?, RefreshFailure>

    struct Core: Sendable {
        var machine: RefreshStateMachine
        var waiters: [Int: @Sendable (Outcome) -> Void] = [:]
        var lastWaiter = 0
        /// What is to be around the refresh of a flight, of the request that has caused it.
        var surroundings: [Int: Surroundings] = [:]
        /// Who is to be told when nothing is under way that must not be lost.
        var settling: [Int: @Sendable () -> Void] = [:]

        mutating func take(_ waiters: [Int]) -> [@Sendable (Outcome) -> Void] {
            waiters.compactMap { self.waiters.removeValue(forKey: $0) }
        }

        /// Keeps them from the beginning of a flight to its end.
        mutating func note(_ surroundings: Surroundings?, of action: RefreshStateMachine.Action) {
            switch action {
            case .peek(let id), .open(let id):
                if let surroundings, self.surroundings[id] == nil { self.surroundings[id] = surroundings }
            case .close(let id):
                if !self.surroundings.isEmpty { self.surroundings[id] = nil }
            default: break
            }
        }
    }
}

extension RefreshGate {
    /// Calls `completion` once, unless the result is disposed of before.
    ///
    /// - Parameter surroundings: what is to be around a refresh that begins with this.
    func acquire(
        replacing generation: Int?, in surroundings: Surroundings? = nil,
        _ completion: @escaping @Sendable (Result<Credential, RefreshFailure>) -> Void
    ) -> any Disposable {
        if let credential = ready(replacing: generation) {
            completion(.success(credential))
            return Disposables.create()
        }
        return wait(
            { completion($0.flatMap(Self.needed)) }, as: { .requested(waiter: $0, replacing: generation) },
            in: surroundings)
    }

    /// A credential that can be used at once, if there is one.
    func ready(replacing generation: Int? = nil) -> Credential? {
        serving(replacing: generation)?.credential
    }

    /// The same, as it is held.
    @inline(__always)
    func serving(replacing generation: Int? = nil) -> RefreshStateMachine.Serving? {
        guard let serving = core.withLock({ $0.machine.serving(replacing: generation) }) else { return nil }
        // Of one that does not end, no clock has to be asked.
        return serving.isEndless || !serving.until.isReached(at: moment) ? serving : nil
    }

    /// Whether `generation` is that of the session's credential. Who hears of the session's end asks without the lock.
    func isCurrent(_ generation: Int) -> Bool { generation == self.generation.load(ordering: .acquiring) }

    static func needed(_ credential: Credential?) -> Result<Credential, RefreshFailure> {
        credential.map(Result.success) ?? .failure(.loginRequired(.noCredential))
    }

    private var moment: Moment { Moment(wall: secondsSince1970(), monotonic: scheduler.now) }

    func wait(
        _ completion: @escaping @Sendable (Outcome) -> Void, as input: (Int) -> RefreshStateMachine.Input,
        in surroundings: Surroundings? = nil
    ) -> any Disposable {
        let waiter = core.withLock { core in
            core.lastWaiter += 1
            core.waiters[core.lastWaiter] = completion
            return core.lastWaiter
        }
        send(input(waiter), in: surroundings)
        return Disposables.create {
            self.core.withLock { core in
                guard core.waiters.removeValue(forKey: waiter) != nil else { return }
                core.machine.left(waiter)
            }
        }
    }

    private func send(_ input: RefreshStateMachine.Input, in surroundings: Surroundings? = nil) {
        let moment = moment
        let chance = settings.random()
        var told: [(@Sendable (Outcome) -> Void, Outcome)] = []
        var settled: [@Sendable () -> Void] = []
        var interruption: (failure: RefreshFailure, uses: [(one: Interruptible, number: Int)])?
        let isToDrain = core.withLock { core in
            var isToDrain = false
            let actions = core.machine.handle(input, at: moment, chance: chance)
            if case .active(let held) = core.machine.session {
                generation.store(held.credential.generation, ordering: .releasing)
            } else {
                generation.store(.min, ordering: .releasing)
            }
            for action in actions {
                switch action {
                case .release(let waiters, let credential):
                    told += core.take(waiters).map { ($0, .success(credential)) }
                case .fail(let waiters, let failure):
                    told += core.take(waiters).map { ($0, .failure(failure)) }
                case .interrupt(let failure):
                    // Under the lock, for whoever comes later uses the session of another login.
                    interruption = (failure, uses.withLock { $0.all })
                default:
                    core.note(surroundings, of: action)
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
        if let (failure, uses) = interruption {
            let error = failure.clientError
            for (use, number) in uses { use.interrupt(number, with: error) }
        }
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
            let surroundings = core.withLock { $0.surroundings[id] }
            flights[id]?.run(on: scheduler, { self.renewal(of: credential, in: surroundings) }) { result in
                self.send(.answered(flight: id, self.answer(from: result)))
            }
        case .persist(let id, let record):
            guard let flight = flights[id], let lease = flight.lease else { return }
            flight.run(on: scheduler, { lease.save(record) }) { result in
                self.send(.persisted(flight: id, result.failure))
            }
        case .inherit(let id, let other):
            guard let lease = flights[other]?.surrender() else { return }
            let flight = flight(id)
            flight.inherit(lease)
            read(lease, for: flight, id)
        case .bequeath(let id, let other):
            guard let lease = flights[id]?.surrender() else { return }
            flights[other]?.inherit(lease)
        case .reread(let id):
            guard let flight = flights[id], let lease = flight.lease else { return }
            read(lease, for: flight, id)
        case .extend(let id):
            if let flight = flights[id] { limit(flight, id) }
        case .revoke(let number, let credential): forget(credential, number)
        case .close(let id): flights.remove(id)?.close()
        case .announce(let reason): loginRequests.onNext(reason)
        case .report(let event): refreshReports.onNext(event)
        case .reportRevocation(let event): revocationReports.onNext(event)
        case .release, .fail, .interrupt: break
        }
    }

    private func renewal(of credential: Credential?, in surroundings: Surroundings?) -> Single<Credential> {
        guard let surroundings else { return refresh(credential) }
        return .create { observer in surroundings { self.refresh(credential).subscribe(observer) } }
    }

    private func flight(_ id: Int) -> RefreshFlight {
        if let flight = flights[id] { return flight }
        let flight = RefreshFlight()
        flights[id] = flight
        limit(flight, id)
        return flight
    }

    private func limit(_ flight: RefreshFlight, _ id: Int) {
        flight.limit(
            by: scheduler.scheduleRelative((), dueTime: settings.deadline) {
                self.send(.overdue(flight: id))
                return Disposables.create()
            })
    }

    private func watch(_ flight: RefreshFlight, _ id: Int) {
        flight.watch(
            scheduler.scheduleRelative((), dueTime: flight.pauseBeforeTheNextLook()) {
                self.store.load().subscribe { self.send(.peeked(flight: id, try? $0.get())) }
            })
    }

    private func open(_ flight: RefreshFlight, _ id: Int) {
        flight.run(on: scheduler, { self.store.lock() }) { result in
            switch result {
            case .failure(let error): self.send(.opened(flight: id, .unlockable(error)))
            case .success(let lease):
                flight.hold(lease)
                self.read(lease, for: flight, id)
            }
        }
    }

    private func read(_ lease: any CredentialLease, for flight: RefreshFlight, _ id: Int) {
        flight.run(on: scheduler, { lease.load() }) { result in
            switch result {
            case .success(let stored): self.send(.opened(flight: id, .found(stored)))
            case .failure(let error): self.send(.opened(flight: id, .unreadable(error)))
            }
        }
    }

    private func forget(_ credential: Credential, _ number: Int) {
        guard let revoke else { return send(.revoked(number, .failed)) }
        let flight = RefreshFlight()
        flights[number] = flight
        flight.limit(
            by: scheduler.scheduleRelative((), dueTime: settings.revocationDeadline) {
                self.send(.revoked(number, .timedOut))
                return Disposables.create()
            })
        flight.run(on: scheduler, { revoke(credential).andThen(Single.just(())) }) { result in
            self.send(.revoked(number, result.failure == nil ? .revoked : .failed))
        }
    }

    private func answer(from result: SingleEvent<Credential>) -> RefreshStateMachine.Answer {
        switch result {
        case .success(let credential): .credential(credential)
        case .failure(let error):
            settings.isRefusal(error)
                ? .refused(error) : .failed(error, retryAfter: RetryAfter.delay(asked: error, at: secondsSince1970()))
        }
    }
}

/// The flights that are not over. Confined to the gate's drain.
final class Flights: @unchecked Sendable {
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
