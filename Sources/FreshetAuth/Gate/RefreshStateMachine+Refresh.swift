import FreshetCore
import FreshetHTTP

// The steps of a refresh: peeked, opened, answered, confirmed, persisted.
extension RefreshStateMachine {
    /// Handles a read of the store without its lock. It adopts at once what another gate or process has stored, so that no gate
    /// waits for the lock only to find it. It never asks the server or writes. The read is repeated while the refresh waits for
    /// the lock.
    mutating func peeked(_ id: Int, _ stored: StoredCredential?, at moment: Moment) -> [Action] {
        guard let refresh, refresh.id == id, refresh.isLooking else { return [] }
        if let stored {
            if isDecided(by: stored, at: moment) { return decide(on: stored, at: moment) }
            // The lock is only needed to ask the server, and the circuit breaker forbids that.
            if unsaved == nil, let failure = endpointRefusal(at: moment) {
                return fail(with: failure, at: moment)
            }
        }
        guard case .looking = refresh.phase else { return [.peekLater(id)] }
        change { $0.phase = .opening }
        return [.begin(id), .peekLater(id)]
    }

    private func isDecided(by stored: StoredCredential, at moment: Moment) -> Bool {
        if isReplacedUnsaved(stored) { return false }
        if stored.isRefused { return true }
        switch session {
        case .over(let ended) where ended.isEnd(of: stored): return limits.needsLogin
        case .active(let held) where held.credential.generation == stored.version: return false
        default: return !isForced && isWelcome(stored, at: moment)
        }
    }

    /// Whether the stored credential has a successor that could not be written. If so, a refusal in the store belongs to
    /// another gate's refresh, which failed because of that successor.
    private func isReplacedUnsaved(_ stored: StoredCredential) -> Bool { unsaved?.base == stored.version }

    /// Whether all waiters can use the stored credential, which differs from the credential of the session.
    private func isWelcome(_ stored: StoredCredential, at moment: Moment) -> Bool {
        guard let credential = stored.credential, !credential.isExpired(at: moment.wall) else { return false }
        return !isWantedInstead(of: stored.version)
    }

    private var isForced: Bool { waiting.values.contains(where: \.isForced) }

    private func isWantedInstead(of generation: Int) -> Bool { waiting.values.contains { $0.replacing == generation } }

    mutating func opened(_ refresh: Refresh, _ opening: Opening, at moment: Moment) -> [Action] {
        switch (refresh.phase, opening) {
        case (.opening, .found(let stored)): decide(on: stored, at: moment)
        case (.confirming(let stored, let failure), .found(let found)):
            confirm(failure, of: stored, found, at: moment)
        case (.opening, .unreadable(let error)), (.opening, .unlockable(let error)),
            (.confirming, .unreadable(let error)):
            fail(with: .store(error), at: moment)
        default: []
        }
    }

    /// Adopts the stored credential, refreshes it, or reports that a login is required.
    private mutating func decide(on stored: StoredCredential, at moment: Moment) -> [Action] {
        var isTheEnd = false
        if case .over(let ended) = session, ended.isEnd(of: stored) {
            if limits.needsLogin {
                let announcing = ended.failure.loginRequired.map { announce($0) } ?? []
                return announcing + fail(with: ended.failure, at: moment)
            }
            isTheEnd = true
        }
        if stored.isRefused, !isReplacedUnsaved(stored) {
            return end(of: stored, .refused, with: .loginRequired(.refused), at: moment)
        }
        change { $0.generation = stored.version }
        guard let credential = stored.credential else { return ask(stored, because: .missing, at: moment) }
        let isForced = isForced
        if case .active(let held) = session {
            if held.credential.generation == stored.version {
                if !isForced, case .none = held.need(at: moment) {
                    return succeed(with: held.credential, nil, at: moment)
                }
                return ask(stored, because: held.cause(isForced: isForced, at: moment), at: moment)
            }
            if !isForced, isWelcome(stored, at: moment) {
                // Adopting another gate's result counts as a refresh for the waiters.
                change { $0.cause = held.cause(isForced: isForced, at: moment) }
                circuitBreaker.reset()
                adopt(credential, at: moment)
                return succeed(with: credential, .adopted, at: moment)
            }
            if held.serves(at: moment) {
                return ask(stored, because: held.cause(isForced: isForced, at: moment), at: moment)
            }
        } else if !isForced, !isTheEnd, isWelcome(stored, at: moment) {
            adopt(credential, at: moment)
            return succeed(with: credential, nil, at: moment)
        }
        adopt(credential, isRejected: isTheEnd || isWantedInstead(of: stored.version), at: moment)
        guard case .active(let held) = session else { return [] }
        return ask(stored, because: held.cause(isForced: isForced, at: moment), at: moment)
    }

    /// Publishes the stored credential.
    mutating func adopt(_ credential: Credential, isRejected: Bool = false, at moment: Moment) {
        if !isRejected { isAnnounced = false }
        lineage.add(credential.generation)
        let life = CredentialLifetime(of: credential, from: moment, limits.windows, chance: chance)
        session = .active(SessionCredential(credential: credential, life: life, isRejected: isRejected))
    }

    private mutating func ask(
        _ stored: StoredCredential, because cause: RefreshEvent.Cause, at moment: Moment
    ) -> [Action] {
        // A login or a logout must not wait for the token server.
        guard let refresh, queue.isEmpty else { return finish(telling: [], at: moment) }
        if let unsaved, unsaved.base == stored.version {
            change { $0.cause = cause }
            return persist(unsaved.record)
        }
        unsaved = nil
        if let failure = endpointRefusal(at: moment) { return fail(with: failure, at: moment) }
        change { $0.cause = cause }
        guard isAdmitted(at: moment) else { return fail(with: .storm, at: moment) }
        change { $0.phase = .asking(from: stored) }
        admitCall(at: moment)
        return [.refresh(refresh.id, stored.credential)]
    }

    private mutating func persist(_ record: StoredCredential) -> [Action] {
        change { $0.phase = .persisting(record) }
        return refresh.map { [.persist($0.id, record)] } ?? []
    }

    mutating func answered(_ id: Int, _ response: Answer, at moment: Moment) -> [Action] {
        guard let refresh, refresh.id == id, case .asking(let stored) = refresh.phase else {
            return answered(late: id, response, at: moment)
        }
        switch response {
        case .credential(let credential):
            recordRefresh(at: moment)
            settleCall(credential.isExpired(at: moment.wall) ? .failed(AlreadyExpired()) : nil, at: moment)
            let record = stored.successor(credential.keeping(stored))
            unsaved = (record, stored.version)
            return persist(record)
        case .failed(let error, let retryAfter):
            settleCall(.failed(error), retryAfter: retryAfter, at: moment)
            return failAsked(with: .failed(error), at: moment)
        case .refused(let error):
            settleCall(limits.needsLogin ? nil : .denied(error), at: moment)
            guard limits.needsLogin else { return deny(stored, error, at: moment) }
            // Another program that ignores the lock may have refreshed first, and its result must not be lost.
            change { $0.phase = .confirming(stored, .refused(error)) }
            return [.open(id)]
        }
    }

    /// Checks the store again after a refusal. If the record has not changed, the refusal counts.
    private mutating func confirm(
        _ failure: RefreshFailure, of stored: StoredCredential, _ found: StoredCredential, at moment: Moment
    ) -> [Action] {
        guard found == stored else { return decide(on: found, at: moment) }
        guard stored.credential != nil else {
            return end(of: stored, .noCredential, with: .loginRequired(.noCredential), at: moment)
        }
        var marked = stored
        marked.isRefused = true
        change { $0.phase = .marking(stored, failure) }
        return refresh.map { [.persist($0.id, marked)] } ?? []
    }

    /// Handles a refusal where no person can log in. It can be temporary.
    private mutating func deny(_ stored: StoredCredential, _ error: any Error, at moment: Moment) -> [Action] {
        if case .active(let held) = session, held.serves(at: moment) { return fail(with: .denied(error), at: moment) }
        return end(of: stored, .refused, with: .denied(error), at: moment)
    }

    /// Fails a refresh that has asked the endpoint.
    private mutating func failAsked(with failure: RefreshFailure, at moment: Moment) -> [Action] {
        // Waiters that arrived after the others were notified get their own refresh.
        return fail(with: failure, tellingAll: refresh?.isOverdue == false, at: moment)
    }

    mutating func persisted(_ refresh: Refresh, _ error: (any Error)?, at moment: Moment) -> [Action] {
        switch refresh.phase {
        case .marking(let stored, let failure): return end(of: stored, .refused, with: failure, at: moment)
        case .persisting(let record):
            if let error { return fail(with: .store(error), at: moment) }
            return renewed(record, at: moment)
        case .looking, .opening, .asking, .confirming: return []
        }
    }

    /// Publishes the persisted credential and hands it out, unless it has already expired and only its refresh token is useful.
    private mutating func renewed(_ record: StoredCredential, at moment: Moment) -> [Action] {
        unsaved = nil
        guard let credential = record.credential else { return [] }
        if credential.isExpired(at: moment.wall) {
            var isServed = false
            if case .active(let held) = session { isServed = held.serves(at: moment) }
            if !isServed { adopt(credential, at: moment) }
            return failAsked(with: .failed(AlreadyExpired()), at: moment)
        }
        adopt(credential, at: moment)
        return succeed(with: credential, .refreshed, at: moment)
    }

    mutating func overdue(_ refresh: Refresh, at moment: Moment) -> [Action] {
        switch refresh.phase {
        case .looking, .opening:
            return fail(with: .failed(RefreshTimeout(step: "waiting for the store's lock")), at: moment)
        case .asking:
            let failure = RefreshFailure.failed(RefreshTimeout(step: "the refresh"))
            guard refresh.isOverdue else { return giveUpWaiting(with: failure, at: moment) }
            settleCall(failure, at: moment)
            return failAsked(with: failure, at: moment)
        case .confirming: return fail(with: .store(RefreshTimeout(step: "reading the store")), at: moment)
        case .persisting: return fail(with: .store(RefreshTimeout(step: "writing the store")), at: moment)
        case .marking(let stored, let failure): return end(of: stored, .refused, with: failure, at: moment)
        }
    }
}
