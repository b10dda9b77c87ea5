import FreshetCore
import FreshetHTTP

// Requests for a credential and the refreshes that they start.
extension RefreshStateMachine {
    mutating func requested(by waiter: Int, replacing: Int?, at now: Timestamp) -> [Action] {
        if let replacing, history.hasEnded(replacing) { return [.fail([waiter], .loginRequired(.loggedOut))] }
        if let credential = usableCredential(replacing: replacing, at: now) {
            return [.release([waiter], credential)] + renewAhead(at: now)
        }
        if case .active(var current) = session, current.credential.generation == replacing {
            current.isRejected = true
            session = .active(current)
        }
        if isIdle, let replacing, let failure = failure(of: replacing, at: now) {
            return [.fail([waiter], failure)]
        }
        waiting[waiter] = Requirement(replacing: replacing)
        return isIdle ? beginRefresh(at: now) : []
    }

    /// Handles a forced refresh. A refresh that has already asked the server does not count for `waiter`.
    mutating func forced(by waiter: Int, at now: Timestamp) -> [Action] {
        if isIdle || refresh?.isReading == true {
            waiting[waiter] = Requirement(isForced: true)
        } else {
            forced.append(waiter)
        }
        return isIdle ? beginRefresh(at: now) : []
    }

    /// Returns the credential that a request can use at once, even if a refresh of it is due in the background.
    private func usableCredential(replacing: Int?, at now: Timestamp) -> Credential? {
        guard case .active(let current) = session, current.credential.generation != replacing, !isWriting else {
            return nil
        }
        if usesOld, !current.life.end.isReached(at: now) { return current.credential }
        if case .now = current.need(at: now) { return nil }
        return current.credential
    }

    /// Begins a background refresh if it is due and if it leaves enough of the limit to requests that depend on a refresh.
    private mutating func renewAhead(at now: Timestamp) -> [Action] {
        guard isIdle, case .active(var current) = session, case .ahead = current.need(at: now) else { return [] }
        if let wait = backgroundDelay(at: now) {
            current.postpone(by: wait, at: now)
            session = .active(current)
            return []
        }
        if pendingWrite == nil, let pause = circuitBreaker.remainingPause(at: now.monotonic) {
            current.retryAt = now.monotonic.advanced(by: pause)
            session = .active(current)
            return []
        }
        return beginRefresh(at: now)
    }

    /// Returns how long a background refresh has to wait so that background refreshes take at most every second refresh of the
    /// limit.
    private func backgroundDelay(at now: Timestamp) -> Duration? {
        guard let last = refreshTimes.last else { return nil }
        let wait = settings.refreshWindow * 2 / max(1, settings.refreshLimit) - last.duration(to: now.monotonic)
        return wait > .zero ? wait : nil
    }

    /// Returns the failure of a recent refresh of `generation`, if nothing has replaced that credential since.
    private func failure(of generation: Int, at now: Timestamp) -> RefreshFailure? {
        let failure: (RefreshFailure, at: Instant)? =
            switch session {
            case .active(let current) where current.credential.generation == generation: current.failure
            case .over(let ended) where ended.stored.version == generation: (ended.failure, ended.at)
            default: nil
            }
        guard let failure, failure.at.duration(to: now.monotonic) < settings.failureCacheDuration else { return nil }
        return failure.0
    }

    /// Removes a waiter. The refresh continues even without waiters. So does a login or a logout, which then notifies nobody.
    mutating func left(_ waiter: Int) -> [Action] {
        waiting[waiter] = nil
        forced.removeAll { $0 == waiter }
        return []
    }

    /// Begins a refresh for all waiters.
    mutating func beginRefresh(at now: Timestamp) -> [Action] {
        for waiter in forced { waiting[waiter] = Requirement(isForced: true) }
        forced = []
        let refresh = Refresh(id: nextNumber(), began: now.monotonic)
        running = .refresh(refresh)
        return [.peek(refresh.id)]
    }
}
