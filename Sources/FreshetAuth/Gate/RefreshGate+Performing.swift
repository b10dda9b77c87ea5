import FreshetCore
import FreshetHTTP

// Drives the state machine. Inputs are handled under the lock. The actions that they cause run after the lock is released, one
// after the other.
extension RefreshGate {
    func send(_ input: RefreshStateMachine.Input) {
        let now = now
        let random = settings.random()
        let (callbacks, isToPerform) = state.withLock { state in
            let callbacks = state.apply(input, at: now, random: random, in: .current)
            return (callbacks, state.beginPerforming())
        }
        if isToPerform {
            while let (action, context) = state.withLock({ $0.nextAction() }) {
                context.run { perform(action) }
            }
        }
        for callback in callbacks { callback() }
    }

    var now: Timestamp { Timestamp(wall: secondsSince1970(), monotonic: scheduler.now) }

    private func perform(_ action: RefreshStateMachine.Action) {
        switch action {
        case .peek(let id):
            begin(id).run(on: scheduler, { self.store.load() }) { result in
                self.send(.peeked(id, try? result.get()))
            }
        case .peekLater(let id): peekLater(id)
        case .begin(let id): enqueue(id)
        case .open(let id): open(id)
        case .replace(let old, let new):
            let queued = state.withLock { state in
                let queued = state.transactions[new]
                state.transactions[new] = state.transactions.removeValue(forKey: old)
                state.transactions[new]?.operation = new
                return queued
            }
            queued?.end()
        case .refresh(let id, let credential):
            guard let operation = operation(id) else { return }
            // After a refusal the store is read again.
            transaction(id)?.allowAnotherOpening()
            operation.run(on: scheduler, { self.refresh(credential) }) { result in
                self.send(.responded(id, self.response(from: result)))
            }
        case .persist(let id, let record):
            guard let lease = transaction(id)?.lease, let operation = operation(id) else { return }
            limit(operation, id)
            operation.run(on: scheduler, { lease.save(record) }) { result in
                self.send(.persisted(id, result.failure))
            }
        case .extend(let id): operation(id).map { limit($0, id) }
        case .revoke(let number, let credential): revoke(credential, number)
        case .drop(let id): state.withLock { $0.operations.removeValue(forKey: id) }?.end()
        case .close(let id):
            let (operation, transaction) = state.withLock { state in
                (state.operations.removeValue(forKey: id), state.transactions.removeValue(forKey: id))
            }
            operation?.end()
            transaction?.end()
        case .announce(let reason): loginRequests.onNext(reason)
        case .report(let event):
            refreshReports.onNext(event)
            credentialChanges.onNext(())
        case .loggedIn: credentialChanges.onNext(())
        case .reportRevocation(let event): revocationReports.onNext(event)
        case .release, .fail, .interrupt, .interruptUses: break
        }
    }

    private func operation(_ id: Int) -> RunningOperation? { state.withLock { $0.operations[id] } }

    private func transaction(_ id: Int) -> RefreshTransaction? { state.withLock { $0.transactions[id] } }

    /// Returns the operation with that number. A new operation starts its deadline here.
    @discardableResult
    private func begin(_ id: Int) -> RunningOperation {
        let (operation, isNew) = state.withLock { state in
            if let operation = state.operations[id] { return (operation, false) }
            let operation = RunningOperation()
            state.operations[id] = operation
            return (operation, true)
        }
        if isNew { limit(operation, id) }
        return operation
    }

    private func limit(_ operation: RunningOperation, _ id: Int) {
        operation.deadline.disposable = scheduler.scheduleRelative((), dueTime: settings.deadline) {
            self.send(.overdue(id))
            return Disposables.create()
        }
    }

    private func peekLater(_ id: Int) {
        let (operation, pause) = state.withLock { state in
            (state.operations[id], state.operations[id]?.pauseBeforeTheNextPeek() ?? .zero)
        }
        operation?.nextPeek.disposable = scheduler.scheduleRelative((), dueTime: pause) {
            self.store.load().subscribe { self.send(.peeked(id, try? $0.get())) }
        }
    }

    private func enqueue(_ id: Int) {
        let transaction = RefreshTransaction(of: id)
        state.withLock { $0.transactions[id] = transaction }
        transaction.run(on: serial) { self.send(.began($0)) }
    }

    private func open(_ id: Int) {
        guard let transaction = transaction(id) else { return }
        let operation = begin(id)
        switch transaction.open(for: id) {
        case .nothing: break
        case .read: load(transaction, for: id)
        case .lock(let attempt):
            operation.run(on: scheduler, { self.store.lock() }) { result in
                switch result {
                case .success(let lease):
                    if transaction.keep(lease, of: attempt) { self.load(transaction, for: id) }
                case .failure(let error): self.send(.opened(id, .unlockable(error)))
                }
            }
        }
    }

    /// Reads the store under its lock for the operation `id`. If another operation has taken over the transaction since, nothing
    /// happens: that one reads the store itself, and a step that it has begun must not be cancelled.
    private func load(_ transaction: RefreshTransaction, for id: Int) {
        guard let lease = transaction.lease, let operation = operation(id) else { return }
        operation.nextPeek.dispose()
        operation.run(on: scheduler, { lease.load() }) { result in
            switch result {
            case .success(let stored): self.send(.opened(id, .found(stored)))
            case .failure(let error): self.send(.opened(id, .unreadable(error)))
            }
        }
    }

    private func response(from result: SingleEvent<Credential>) -> RefreshStateMachine.RefreshResponse {
        switch result {
        case .success(let credential):
            credential.isSendable ? .credential(credential) : .failed(HTTPClientError.unsendableResponse)
        case .failure(let error):
            if let rotated = (error as? HTTPClientError)?.rotated {
                .credential(rotated, unusable: error)
            } else if settings.isRefusal(error) {
                .refused(error)
            } else {
                .failed(
                    error,
                    retryAfter: (error as? HTTPClientError)?.response?.headers.retryDelay(at: secondsSince1970()))
            }
        }
    }

    private func revoke(_ credential: Credential, _ number: Int) {
        guard let revoke else { return send(.revoked(number, .failed)) }
        let operation = RunningOperation()
        state.withLock { $0.operations[number] = operation }
        operation.deadline.disposable = scheduler.scheduleRelative((), dueTime: settings.revocationDeadline) {
            self.send(.revoked(number, .timedOut))
            return Disposables.create()
        }
        operation.run(on: scheduler, { revoke(credential).andThen(Single.just(())) }) { result in
            self.send(.revoked(number, result.failure == nil ? .revoked : .failed, result.failure))
        }
    }
}

extension HTTPClientError {
    /// No store keeps such a credential, so a write of it would never succeed.
    fileprivate static let unsendableResponse = HTTPClientError(
        .decoding, phase: .decoding,
        message: "a token of the new credential is empty or holds other characters than printable ASCII",
        recoverySuggestion: "check how the authenticator reads the response")
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
