import FreshetCore
import FreshetHTTP

// Requests for a credential and the refreshes that they start.
extension RefreshStateMachine {
    mutating func requested(by waiter: Int, replacing: Int?, at moment: Moment) -> [Action] {
        if let replacing, lineage.hasEnded(replacing) { return [.fail([waiter], .loginRequired(.loggedOut))] }
        if let credential = useful(replacing: replacing, at: moment) {
            return [.release([waiter], credential)] + renewAhead(at: moment)
        }
        if case .active(var held) = session, held.credential.generation == replacing {
            held.isRejected = true
            session = .active(held)
        }
        if isIdle, let replacing, let failure = failure(of: replacing, at: moment) {
            return [.fail([waiter], failure)]
        }
        waiting[waiter] = Want(replacing: replacing)
        return isIdle ? beginRefresh(at: moment) : []
    }

    /// Handles a forced refresh. A refresh that has already asked the server does not count for `waiter`.
    mutating func forced(by waiter: Int, at moment: Moment) -> [Action] {
        if isIdle || refresh?.isLooking == true {
            waiting[waiter] = Want(isForced: true)
        } else {
            forced.append(waiter)
        }
        return isIdle ? beginRefresh(at: moment) : []
    }

    /// Returns the credential that a request can use at once, even if a refresh of it is due in the background.
    private func useful(replacing: Int?, at moment: Moment) -> Credential? {
        guard case .active(let held) = session, held.credential.generation != replacing, !isWriting else { return nil }
        if limits.usesOld, running != nil, !held.life.end.isReached(at: moment) { return held.credential }
        if case .now = held.need(at: moment) { return nil }
        return held.credential
    }

    /// Begins a background refresh if it is due and if it leaves enough of the limit to requests that depend on a refresh.
    private mutating func renewAhead(at moment: Moment) -> [Action] {
        guard isIdle, case .active(var held) = session, case .ahead = held.need(at: moment) else { return [] }
        if let wait = timeToSpare(at: moment) {
            held.putOff(by: wait, at: moment)
            session = .active(held)
            return []
        }
        if unsaved == nil, let pause = circuitBreaker.remainingPause(at: moment.monotonic) {
            held.retryAt = moment.monotonic.advanced(by: pause)
            session = .active(held)
            return []
        }
        return beginRefresh(at: moment)
    }

    /// Returns how long a background refresh has to wait so that background refreshes take at most every second refresh of the
    /// limit.
    private func timeToSpare(at moment: Moment) -> Duration? {
        guard let last = refreshTimes.last else { return nil }
        let wait = limits.window * 2 / max(1, limits.refreshes) - last.duration(to: moment.monotonic)
        return wait > .zero ? wait : nil
    }

    /// Returns the failure of a recent refresh of `generation`, if nothing has replaced that credential since.
    private func failure(of generation: Int, at moment: Moment) -> RefreshFailure? {
        let failure: (RefreshFailure, at: Instant)? =
            switch session {
            case .active(let held) where held.credential.generation == generation: held.failure
            case .over(let ended) where ended.stored.version == generation: (ended.failure, ended.at)
            default: nil
            }
        guard let failure, failure.at.duration(to: moment.monotonic) < limits.memory else { return nil }
        return failure.0
    }

    /// Removes a waiter. The refresh continues even without waiters. So does a login or a logout, which then notifies nobody.
    mutating func left(_ waiter: Int) -> [Action] {
        waiting[waiter] = nil
        forced.removeAll { $0 == waiter }
        return []
    }

    /// Begins a refresh for all waiters.
    mutating func beginRefresh(at moment: Moment) -> [Action] {
        for waiter in forced { waiting[waiter] = Want(isForced: true) }
        forced = []
        let refresh = Refresh(id: nextNumber(), began: moment.monotonic)
        running = .refresh(refresh)
        return [.peek(refresh.id)]
    }
}
