import FreshetCore

// The steps of the one flight: peeked, opened, answered, confirmed, persisted.
extension RefreshStateMachine {
    /// Without the lock nothing is asked for or written; but what a sibling has left is taken over by all at once, and does
    /// not have them queue for the lock. Asked again and again while the lock is waited for.
    mutating func peeked(_ id: Int, _ stored: StoredCredential?, at moment: Moment) -> [Action] {
        guard let flight, flight.id == id else { return dropped(id, nil, at: moment) }
        guard case .opening = flight.phase, flight.isRefresh else { return [] }
        guard let stored else { return [.open(flight: id)] }
        if isDecided(by: stored, at: moment) { return decide(on: stored, at: moment) }
        // A lock would be for asking, which is not to be.
        if unsaved == nil, let failure = breaker.refusal(at: moment) { return fail(with: failure, at: moment) }
        return [.open(flight: id)]
    }

    private func isDecided(by stored: StoredCredential, at moment: Moment) -> Bool {
        if isReplacedUnsaved(stored) { return false }
        if stored.isRefused { return true }
        switch session {
        case .over(let ended) where ended.isEnd(of: stored): return limits.needsLogin
        case .active(let held) where held.credential.generation == stored.version: return false
        default: return flight?.isForced == false && isWelcome(stored, at: moment)
        }
    }

    /// Whether there is a successor of what is stored that could not be written: then it was refused to somebody else for that
    /// very reason.
    private func isReplacedUnsaved(_ stored: StoredCredential) -> Bool { unsaved?.base == stored.version }

    /// Whether what is stored, which is not what is held, is good for all who wait.
    private func isWelcome(_ stored: StoredCredential, at moment: Moment) -> Bool {
        guard let credential = stored.credential, !credential.isExpired(at: moment.wall) else { return false }
        return flight?.isWantedInstead(of: stored.version) == false
    }

    mutating func opened(_ id: Int, _ opening: Opening, at moment: Moment) -> [Action] {
        guard let flight, flight.id == id else { return dropped(id, nil, at: moment) }
        if case .confirming(let stored, let failure) = flight.phase {
            return confirm(failure, of: stored, opening, at: moment)
        }
        guard case .opening = flight.phase else { return [] }
        switch (flight.job, opening) {
        case (_, .unlockable(let error)), (.refresh, .unreadable(let error)), (.logout, .unreadable(let error)):
            return fail(with: .store(error), at: moment)
        case (.refresh, .found(let stored)):
            return decide(on: stored, at: moment)
        case (.login(let credential), _):
            return persist(StoredCredential(credential: credential, version: nextVersion(after: opening)))
        case (.logout, .found(let stored)):
            self.flight?.replaced = stored.credential
            return persist(StoredCredential(version: nextVersion(after: opening)))
        }
    }

    private func nextVersion(after opening: Opening) -> Int {
        var version = 0
        if case .found(let stored) = opening { version = stored.version }
        switch session {
        case .active(let held): version = max(version, held.credential.generation)
        case .over(let ended): version = max(version, ended.stored.version)
        case .unread: break
        }
        // Which of two is larger means nothing, so the largest has a successor too.
        return version &+ 1
    }

    private mutating func persist(_ record: StoredCredential) -> [Action] {
        guard let id = flight?.id else { return [] }
        flight?.phase = .persisting(record)
        return [.persist(flight: id, record)]
    }

    /// Knowing what is stored: take it, or renew it, or see that only a login helps.
    private mutating func decide(on stored: StoredCredential, at moment: Moment) -> [Action] {
        var isTheEnd = false
        if case .over(let ended) = session, ended.isEnd(of: stored) {
            if limits.needsLogin { return fail(with: ended.failure, at: moment) }
            isTheEnd = true
        }
        if stored.isRefused, !isReplacedUnsaved(stored) {
            return end(of: stored, .refused, with: .loginRequired(.refused), at: moment)
        }
        flight?.generation = stored.version
        guard let credential = stored.credential else { return ask(stored, because: .missing, at: moment) }
        let isForced = flight?.isForced ?? false
        if case .active(let held) = session {
            if held.credential.generation == stored.version {
                if !isForced, case .none = held.need(at: moment) {
                    return succeed(with: held.credential, nil, at: moment)
                }
                return ask(stored, because: held.cause(isForced: isForced, at: moment), at: moment)
            }
            if !isForced, isWelcome(stored, at: moment) {
                // Finding what a sibling did is a refresh, for those who wanted one.
                flight?.cause = held.cause(isForced: isForced, at: moment)
                breaker.siblingSucceeded()
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
        adopt(credential, isRejected: isTheEnd || flight?.isWantedInstead(of: stored.version) == true, at: moment)
        guard case .active(let held) = session else { return [] }
        return ask(stored, because: held.cause(isForced: isForced, at: moment), at: moment)
    }

    private mutating func adopt(_ credential: Credential, isRejected: Bool = false, at moment: Moment) {
        if !isRejected { isAnnounced = false }
        lineage.add(credential.generation)
        let life = CredentialLife(until: credential.expiresAt, from: moment, limits.windows, chance: chance)
        session = .active(Held(credential: credential, life: life, isRejected: isRejected))
    }

    private mutating func ask(
        _ stored: StoredCredential, because cause: RefreshEvent.Cause, at moment: Moment
    ) -> [Action] {
        guard let id = flight?.id else { return [] }
        if let unsaved, unsaved.base == stored.version {
            flight?.cause = cause
            return persist(unsaved.record)
        }
        unsaved = nil
        if let failure = breaker.refusal(at: moment) { return fail(with: failure, at: moment) }
        flight?.cause = cause
        guard isAdmitted(at: moment) else { return fail(with: .storm, at: moment) }
        flight?.phase = .refreshing(from: stored)
        return [.refresh(flight: id, stored.credential)]
    }

    mutating func answered(_ id: Int, _ answer: Answer, at moment: Moment) -> [Action] {
        guard let flight, flight.id == id, case .refreshing(let stored) = flight.phase else {
            return dropped(id, answer.onTheClock(of: moment), at: moment)
        }
        switch answer.onTheClock(of: moment) {
        case .credential(let credential):
            noteRefresh(at: moment)
            let record = StoredCredential(credential: credential.keeping(stored), version: stored.version &+ 1)
            unsaved = (record, stored.version)
            return persist(record)
        case .failed(let error, let retryAfter):
            return failAsked(with: .failed(error), retryAfter, at: moment)
        case .refused(let error):
            guard limits.needsLogin else { return deny(stored, error, at: moment) }
            // A sibling that does not keep to the lock may have got there first, and its result is not to be lost.
            self.flight?.phase = .confirming(stored, .refused(error))
            return [.reread(flight: id)]
        }
    }

    /// Refused, and the store read again: if nothing has changed there, that is that.
    private mutating func confirm(
        _ failure: RefreshFailure, of stored: StoredCredential, _ opening: Opening, at moment: Moment
    ) -> [Action] {
        guard case .found(let found) = opening else {
            if case .unreadable(let error) = opening { return fail(with: .store(error), at: moment) }
            return []
        }
        guard found == stored else {
            flight?.phase = .opening
            return decide(on: found, at: moment)
        }
        guard stored.credential != nil else {
            return end(of: stored, .noCredential, with: .loginRequired(.noCredential), at: moment)
        }
        var marked = stored
        marked.isRefused = true
        flight?.phase = .marking(stored, failure)
        return flight.map { [.persist(flight: $0.id, marked)] } ?? []
    }

    /// Refused where nobody can log in, which may pass.
    private mutating func deny(_ stored: StoredCredential, _ error: any Error, at moment: Moment) -> [Action] {
        breaker.failed(with: .denied(error), retryAfter: nil, at: moment, chance: chance)
        if case .active(let held) = session, held.serves(at: moment) { return fail(with: .denied(error), at: moment) }
        return end(of: stored, .refused, with: .denied(error), at: moment)
    }

    /// The endpoint was asked, and did not help.
    private mutating func failAsked(
        with failure: RefreshFailure, _ retryAfter: Duration?, at moment: Moment
    ) -> [Action] {
        breaker.failed(with: failure, retryAfter: retryAfter, at: moment, chance: chance)
        guard let flight, flight.isOverdue, !flight.waiters.isEmpty else { return fail(with: failure, at: moment) }
        // They came when the others had been told already, and nothing has been tried for them.
        self.flight?.waiters = [:]
        let ending = fail(with: failure, at: moment)
        guard self.flight == nil else {
            self.flight?.waiters.merge(flight.waiters) { _, new in new }
            return ending
        }
        return ending + beginRefresh(for: flight.waiters, at: moment)
    }

    mutating func persisted(_ id: Int, _ error: (any Error)?, at moment: Moment) -> [Action] {
        guard let flight, flight.id == id else { return dropped(id, nil, at: moment) }
        switch flight.phase {
        case .marking(let stored, let failure):
            return end(of: stored, .refused, with: failure, at: moment)
        case .persisting(let record):
            if let error { return fail(with: .store(error), at: moment) }
            if !flight.isRefresh { return written(record, at: moment) }
            return renewed(record, at: moment)
        case .opening, .refreshing, .confirming:
            return []
        }
    }

    /// The new credential is persisted: published and handed out, unless it is good for nothing but its refresh token.
    private mutating func renewed(_ record: StoredCredential, at moment: Moment) -> [Action] {
        unsaved = nil
        guard let credential = record.credential else { return [] }
        if credential.isExpired(at: moment.wall) {
            var isServed = false
            if case .active(let held) = session { isServed = held.serves(at: moment) }
            if !isServed { adopt(credential, at: moment) }
            return failAsked(with: .failed(AlreadyExpired()), nil, at: moment)
        }
        breaker.succeeded()
        adopt(credential, at: moment)
        return succeed(with: credential, .refreshed, at: moment)
    }

    /// A login is persisted.
    mutating func publish(_ credential: Credential, at moment: Moment) {
        adopt(credential, at: moment)
    }

    mutating func overdue(_ id: Int, at moment: Moment) -> [Action] {
        guard let flight, flight.id == id else { return dropped(id, nil, at: moment) }
        switch flight.phase {
        case .opening:
            let timeout = RefreshTimeout(step: "waiting for the store's lock")
            return fail(with: flight.isRefresh ? .failed(timeout) : .store(timeout), at: moment)
        case .refreshing:
            let failure = RefreshFailure.failed(RefreshTimeout(step: "the refresh"))
            return flight.isOverdue
                ? failAsked(with: failure, nil, at: moment) : giveUpWaiting(with: failure, at: moment)
        case .confirming: return fail(with: .store(RefreshTimeout(step: "reading the store")), at: moment)
        case .persisting: return fail(with: .store(RefreshTimeout(step: "writing the store")), at: moment)
        case .marking(let stored, let failure): return end(of: stored, .refused, with: failure, at: moment)
        }
    }
}

extension RefreshStateMachine.Answer {
    fileprivate func onTheClock(of moment: Moment) -> Self {
        if case .credential(let credential) = self { .credential(credential.onTheClock(of: moment)) } else { self }
    }
}

extension Credential {
    /// The same with the refresh token that was used for it, if it brought none. Source: RFC 6749 section 6.
    func keeping(_ stored: StoredCredential) -> Credential {
        var credential = self
        if credential.refreshToken == nil { credential.refreshToken = stored.credential?.refreshToken }
        return credential
    }
}
