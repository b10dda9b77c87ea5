import FreshetCore
import FreshetHTTP

// The steps of a refresh: peeked, opened, responded, confirmed, persisted.
extension RefreshStateMachine {
    /// Handles a read of the store without its lock. It adopts at once what another gate or process has stored, so that no gate
    /// waits for the lock only to find it. It never asks the server or writes. The read is repeated while the refresh waits for
    /// the lock.
    mutating func peeked(_ id: Int, _ stored: StoredCredential?, at now: Timestamp) -> [Action] {
        guard let refresh, refresh.id == id, refresh.isReading else { return [] }
        // A credential that can't be applied fails the refresh at the read under the lock.
        if let stored, isApplicable(stored) {
            if isDecided(by: stored, at: now) {
                // It is later than the one that could not be written, which is not missing any more.
                pendingWrite = nil
                return decide(on: stored, at: now)
            }
            // The lock is only needed to ask the server, and the circuit breaker forbids that.
            if pendingWrite == nil, let failure = endpointRefusal(of: stored, at: now) {
                return fail(with: failure, at: now)
            }
        }
        guard case .readingStore = refresh.phase else { return [.peekLater(id)] }
        change { $0.phase = .opening }
        return [.begin(id), .peekLater(id)]
    }

    /// Whether the authenticator can apply the stored credential, if there is one. If it can't, the server would refuse the
    /// requests and the refresh, and the session would be lost. A grant without a person has no session to lose.
    func isApplicable(_ stored: StoredCredential) -> Bool {
        stored.credential.map { !settings.needsLogin || settings.canApply($0) } ?? true
    }

    /// Returns an unreadable store in place of one whose credential can't be applied. A login or a logout replaces it.
    func applicable(_ opening: Opening) -> Opening {
        guard case .found(let stored) = opening, !isApplicable(stored) else { return opening }
        return .unreadable(UnprovenCredential())
    }

    private func isDecided(by stored: StoredCredential, at now: Timestamp) -> Bool {
        if hasPendingSuccessor(stored) { return false }
        if stored.isRefused { return true }
        switch session {
        case .over(let ended) where ended.isEnd(of: stored): return settings.needsLogin
        case .active(let current) where current.credential.generation == stored.version: return false
        default: return !isForced && isUsableForAll(stored, at: now)
        }
    }

    /// Whether the stored credential has a successor that could not be written. If so, a refusal in the store belongs to
    /// another gate's refresh, which failed because of that successor.
    func hasPendingSuccessor(_ stored: StoredCredential) -> Bool {
        pendingWrite?.replacedVersion == stored.version
    }

    /// Whether all waiters can use the stored credential, which differs from the credential of the session. The refresh token of
    /// one with a successor is spent.
    private func isUsableForAll(_ stored: StoredCredential, at now: Timestamp) -> Bool {
        guard !hasPendingSuccessor(stored) else { return false }
        guard let credential = stored.credential, !credential.isExpired(at: now.wall) else { return false }
        return !isReplacementRequested(of: stored.version)
    }

    private var isForced: Bool { waiting.values.contains(where: \.isForced) }

    func isReplacementRequested(of generation: Int) -> Bool {
        waiting.values.contains { $0.replacing == generation }
    }

    mutating func opened(_ refresh: Refresh, _ opening: Opening, at now: Timestamp) -> [Action] {
        switch (refresh.phase, applicable(opening)) {
        case (.opening, .found(let stored)):
            // Another gate or process has written since.
            if !hasPendingSuccessor(stored) { pendingWrite = nil }
            return decide(on: stored, at: now)
        case (.confirming(let stored, let failure), .found(let found)):
            return confirm(failure, of: stored, found, at: now)
        case (.opening, .unreadable(let error)), (.confirming, .unreadable(let error)):
            return announceDamage(error, at: now) + failUnread(with: .store(error), at: now)
        case (.opening, .unlockable(let error)): return failUnread(with: .store(error), at: now)
        default: return []
        }
    }

    /// Fails a refresh that could not read the store under its lock. Its cause is what is known without the store.
    private mutating func failUnread(with failure: RefreshFailure, at now: Timestamp) -> [Action] {
        if refresh?.cause == nil {
            let isForced = isForced
            var (cause, generation) = (isForced ? RefreshEvent.Cause.forced : .missing, 0)
            if case .active(let current) = session {
                cause = current.cause(isForced: isForced, at: now)
                generation = current.credential.generation
            }
            change { ($0.cause, $0.generation) = (cause, generation) }
        }
        return fail(with: failure, at: now)
    }

    /// Adopts the stored credential, refreshes it, or reports that a login is required.
    private mutating func decide(on stored: StoredCredential, at now: Timestamp) -> [Action] {
        var isTheEnd = false
        if case .over(let ended) = session, ended.isEnd(of: stored) {
            if settings.needsLogin {
                let announcing = ended.failure.loginRequired.map { announce($0) } ?? []
                return announcing + fail(with: ended.failure, at: now)
            }
            isTheEnd = true
        }
        if stored.isRefused, !hasPendingSuccessor(stored) {
            return end(of: stored, .refused, with: .loginRequired(.refused), at: now)
        }
        change { $0.generation = stored.version }
        guard let credential = stored.credential else { return ask(stored, because: .missing, at: now) }
        let isForced = isForced
        if case .active(let current) = session {
            if current.credential.generation == stored.version {
                if !isForced, !hasPendingSuccessor(stored), case .none = current.need(at: now) {
                    return succeed(with: current.credential, nil, at: now)
                }
                return ask(stored, because: current.cause(isForced: isForced, at: now), at: now)
            }
            if !isForced, isUsableForAll(stored, at: now) {
                // Adopting another gate's result counts as a refresh for the waiters.
                change { $0.cause = current.cause(isForced: isForced, at: now) }
                circuitBreaker.reset()
                adopt(credential, at: now)
                return succeed(with: credential, .adopted, at: now)
            }
            if current.serves(at: now) {
                return ask(stored, because: current.cause(isForced: isForced, at: now), at: now)
            }
        } else if !isForced, !isTheEnd, isUsableForAll(stored, at: now) {
            adopt(credential, at: now)
            return succeed(with: credential, nil, at: now)
        }
        adopt(credential, isRejected: isTheEnd || isReplacementRequested(of: stored.version), at: now)
        guard case .active(let current) = session else { return [] }
        return ask(stored, because: current.cause(isForced: isForced, at: now), at: now)
    }

    private mutating func ask(
        _ stored: StoredCredential, because cause: RefreshEvent.Cause, at now: Timestamp
    ) -> [Action] {
        // A login or a logout must not wait for the token server.
        guard let refresh, queue.isEmpty else { return finish(notifying: [], at: now) }
        if let pendingWrite, pendingWrite.replacedVersion == stored.version {
            change { $0.cause = cause }
            return persist(pendingWrite.record)
        }
        if let failure = endpointRefusal(of: stored, at: now) { return fail(with: failure, at: now) }
        change { $0.cause = cause }
        guard isAdmitted(at: now) else {
            return fail(with: .storm(limit: settings.refreshLimit, window: settings.refreshWindow), at: now)
        }
        change {
            $0.phase = .requesting(from: stored)
            $0.hasAsked = true
        }
        admitCall(at: now)
        return [.refresh(refresh.id, stored.credential)]
    }

    private mutating func persist(_ record: StoredCredential) -> [Action] {
        change { $0.phase = .persisting(record) }
        return refresh.map { [.persist($0.id, record)] } ?? []
    }

    mutating func responded(_ id: Int, _ response: RefreshResponse, at now: Timestamp) -> [Action] {
        guard let refresh, refresh.id == id, case .requesting(let stored) = refresh.phase else {
            return responded(late: id, response, at: now)
        }
        let isFirst = stored.credential == nil
        switch response {
        case .credential(var credential, var unusable):
            if unusable != nil { credential.expiresAt = now.wall }
            if unusable == nil, credential.isExpired(at: now.wall) { unusable = AlreadyExpired() }
            change { $0.unusable = unusable }
            recordRefresh(at: now)
            settleCall(unusable.map { .unusable($0) }, at: now)
            let record = stored.successor(credential.keeping(stored))
            pendingWrite = PendingWrite(record: record, replacedVersion: stored.version)
            return persist(record)
        case .failed(let error as HTTPClientError, _) where error.isOfAnotherGate:
            // The token to exchange is missing or could not be refreshed, and the endpoint was not asked.
            releasePermit(.none, at: now)
            return failAsked(with: .failed(error, isFirst: isFirst), at: now)
        case .failed(let error, let retryAfter):
            settleCall(.failed(error, isFirst: isFirst), retryAfter: retryAfter, at: now)
            return failAsked(with: .failed(error, isFirst: isFirst), at: now)
        case .refused(let error):
            settleCall(settings.needsLogin ? nil : .denied(error), at: now)
            guard settings.needsLogin else { return deny(stored, error, at: now) }
            // Another program that ignores the lock may have refreshed first, and its result must not be lost.
            change { $0.phase = .confirming(stored, .refused(error)) }
            return [.open(id)]
        }
    }

    /// Checks the store again after a refusal. If the record has not changed, the refusal counts.
    ///
    /// A record without a refresh token is not marked before its access token ends, because other processes can use that token, and
    /// spend nothing by asking. One of another server is never marked, because other processes may name that server.
    private mutating func confirm(
        _ failure: RefreshFailure, of stored: StoredCredential, _ found: StoredCredential, at now: Timestamp
    ) -> [Action] {
        guard found.isSameWrite(as: stored), !found.isRefused else { return decide(on: found, at: now) }
        guard found.credential != nil else {
            return end(of: found, .noCredential, with: .loginRequired(.noCredential), at: now)
        }
        if failure.isOwn || found.credential?.refreshToken == nil && isServed(found, at: now) {
            return end(of: found, .refused, with: failure, at: now)
        }
        var marked = found
        marked.isRefused = true
        change { $0.phase = .marking(found, failure) }
        return refresh.map { [.persist($0.id, marked)] } ?? []
    }

    /// Handles a refusal where no person can log in. It can be temporary.
    private mutating func deny(_ stored: StoredCredential, _ error: any Error, at now: Timestamp) -> [Action] {
        if case .active(let current) = session, current.serves(at: now) { return fail(with: .denied(error), at: now) }
        return end(of: stored, .refused, with: .denied(error), at: now)
    }

    /// Fails a refresh that has asked the endpoint.
    private mutating func failAsked(with failure: RefreshFailure, at now: Timestamp) -> [Action] {
        // Waiters that arrived after the others were notified get their own refresh.
        return fail(with: failure, notifyingAll: refresh?.isOverdue == false, at: now)
    }

    mutating func persisted(_ refresh: Refresh, _ error: (any Error)?, at now: Timestamp) -> [Action] {
        switch refresh.phase {
        case .marking(let stored, let failure): return end(of: stored, .refused, with: failure, at: now)
        case .persisting(let record):
            if let error { return fail(with: .store(error), at: now) }
            return renewed(record, at: now)
        case .readingStore, .opening, .requesting, .confirming: return []
        }
    }

    /// Publishes the persisted credential and hands it out, unless only its refresh token is useful.
    private mutating func renewed(_ record: StoredCredential, at now: Timestamp) -> [Action] {
        pendingWrite = nil
        guard let refresh, let credential = record.credential else { return [] }
        if refresh.unusable != nil || credential.isExpired(at: now.wall) {
            var isServed = false
            if case .active(let current) = session { isServed = current.serves(at: now) }
            if !isServed { adopt(credential, at: now) }
            // It has expired while it could not be written.
            guard refresh.hasAsked else { return ask(record, because: refresh.cause ?? .expiring, at: now) }
            return failAsked(with: .unusable(refresh.unusable ?? AlreadyExpired()), at: now)
        }
        adopt(credential, at: now)
        return succeed(with: credential, .refreshed, at: now)
    }

    mutating func overdue(_ refresh: Refresh, at now: Timestamp) -> [Action] {
        switch refresh.phase {
        case .readingStore:
            let timeout = RefreshTimeout(step: "reading the store")
            return failUnread(with: .failed(timeout, isFirst: lastCredential == nil), at: now)
        case .opening:
            let timeout = RefreshTimeout(lock: lockName)
            return failUnread(with: .failed(timeout, isFirst: lastCredential == nil), at: now)
        case .requesting(let stored):
            let failure = RefreshFailure.failed(
                RefreshTimeout(step: "the refresh"), isFirst: stored.credential == nil)
            guard refresh.isOverdue else { return giveUpWaiting(with: failure, at: now) }
            settleCall(failure, at: now)
            return failAsked(with: failure, at: now)
        case .confirming: return fail(with: .store(RefreshTimeout(step: "reading the store")), at: now)
        case .persisting: return fail(with: .store(RefreshTimeout(step: "writing the store")), at: now)
        case .marking(let stored, let failure): return end(of: stored, .refused, with: failure, at: now)
        }
    }
}

extension HTTPClientError {
    /// Whether the error is one that a gate makes because it has no credential: what the refresh needed was not there. An
    /// authenticator of a program's own that makes such an error says the same.
    fileprivate var isOfAnotherGate: Bool {
        switch code {
        case .loginRequired, .refreshFailed, .refreshStorm: phase.isBeforeSending || phase == .refreshing
        case .store: phase == .storing
        default: false
        }
    }
}
