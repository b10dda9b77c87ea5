import FreshetCore

// Who wants a credential, and what that sets going.
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
        if flight == nil, let replacing, let failure = failure(of: replacing, at: moment) {
            return [.fail([waiter], failure)]
        }
        guard flight == nil else {
            flight?.waiters[waiter] = Want(replacing: replacing)
            return []
        }
        return beginRefresh(for: [waiter: Want(replacing: replacing)], at: moment)
    }

    /// Only what is asked for from now on will do: a flight that has asked already is none for `waiter`.
    mutating func forced(by waiter: Int, at moment: Moment) -> [Action] {
        guard let flight else { return beginRefresh(for: [waiter: Want(isForced: true)], at: moment) }
        if case .opening = flight.phase, flight.isRefresh {
            self.flight?.waiters[waiter] = Want(isForced: true)
        } else {
            forced.append(waiter)
        }
        return []
    }

    /// What a request can go with at once, though it may be time to renew it.
    private func useful(replacing: Int?, at moment: Moment) -> Credential? {
        guard case .active(let held) = session, held.credential.generation != replacing, !isWriting else { return nil }
        if limits.usesOld, flight != nil, !held.life.end.isReached(at: moment) { return held.credential }
        if case .now = held.need(at: moment) { return nil }
        return held.credential
    }

    /// Begins to renew the credential while it serves, if it is time for that, and if that leaves enough of the limit to those
    /// who will have no other way.
    private mutating func renewAhead(at moment: Moment) -> [Action] {
        guard flight == nil, case .active(var held) = session, case .ahead = held.need(at: moment) else { return [] }
        if let wait = timeToSpare(at: moment) {
            held.putOff(by: wait, at: moment)
            session = .active(held)
            return []
        }
        if unsaved == nil, breaker.refusal(at: moment) != nil {
            held.retryAt = breaker.restsUntil
            session = .active(held)
            return []
        }
        return beginRefresh(for: [:], at: moment)
    }

    /// How long renewing in the background is to wait, so that it never takes more than every other of the refreshes that the
    /// limit allows.
    private func timeToSpare(at moment: Moment) -> Duration? {
        guard let last = refreshTimes.last else { return nil }
        let wait = limits.window * 2 / max(1, limits.refreshes) - last.duration(to: moment.monotonic)
        return wait > .zero ? wait : nil
    }

    /// What came of refreshing `generation`, if that has been tried of late and nothing has replaced it since.
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

    /// `waiter` does not want it any more. The flight runs on, also when nobody waits.
    mutating func left(_ waiter: Int) {
        flight?.waiters.removeValue(forKey: waiter)
        if flight?.owner == waiter { flight?.owner = nil }
        for index in writes.indices where writes[index].owner == waiter { writes[index].owner = nil }
        forced.removeAll { $0 == waiter }
        for (number, revocation) in revocations where revocation.owner == waiter { revocations[number]?.owner = nil }
    }

    mutating func beginRefresh(for waiters: [Int: Want], at moment: Moment) -> [Action] {
        let id = nextNumber()
        flight = Flight(id: id, job: .refresh, began: moment.monotonic, waiters: waiters)
        return [.peek(flight: id)]
    }

    mutating func begin(_ write: Write, waiters: [Int: Want], at moment: Moment) -> [Action] {
        let id = nextNumber()
        flight = Flight(
            id: id, job: write.job, began: moment.monotonic, waiters: waiters, owner: write.owner, asked: write.asked)
        return [.open(flight: id)]
    }

    func isAdmitted(at moment: Moment) -> Bool {
        refreshTimes.count { $0.duration(to: moment.monotonic) < limits.window } < limits.refreshes
    }

    mutating func noteRefresh(at moment: Moment) {
        refreshTimes.removeAll { $0.duration(to: moment.monotonic) >= limits.window }
        refreshTimes.append(moment.monotonic)
    }
}
