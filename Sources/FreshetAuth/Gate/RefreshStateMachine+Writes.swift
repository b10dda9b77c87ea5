import FreshetCore

// Logins and logouts. They come before any refresh: one that has been asked for is fenced off, and its answer waits until the
// write has ended. If that succeeds, the answer is dropped and revoked; if it fails, the refresh goes on.
extension RefreshStateMachine {
    mutating func write(_ job: Job, for owner: Int, at moment: Moment) -> [Action] {
        let write = Write(job: job, asked: owner, owner: owner)
        guard let flight else { return begin(write, waiters: [:], at: moment) }
        guard flight.isRefresh, writes.isEmpty else {
            writes.append(write)
            return []
        }
        switch flight.phase {
        case .opening:
            return [.close(flight: flight.id)] + begin(write, waiters: flight.waiters, at: moment)
        case .refreshing:
            fenced = Fenced(flight: flight)
            fenced?.flight.waiters = [:]
            return inherit(write, waiters: flight.waiters, from: flight.id, at: moment)
        case .confirming, .persisting, .marking:
            // It is nearly done, and has the lock until it is.
            writes.append(write)
            return []
        }
    }

    /// The lock is not let go between the refresh and the write: a sibling would ask with the same refresh token.
    private mutating func inherit(
        _ write: Write, waiters: [Int: Want], from id: Int, at moment: Moment
    ) -> [Action] {
        let heir = nextNumber()
        flight = Flight(
            id: heir, job: write.job, began: moment.monotonic, waiters: waiters, owner: write.owner, asked: write.asked)
        return [.inherit(flight: heir, from: id)]
    }

    /// A login or a logout is persisted.
    mutating func written(_ record: StoredCredential, at moment: Moment) -> [Action] {
        var revoked = drop(at: moment)
        if let unsaved { revoked += revoke(unsaved.record.credential, .discarded, at: moment) }
        unsaved = nil
        if let credential = record.credential {
            publish(credential, at: moment)
            return succeed(with: credential, nil, at: moment) + revoked
        }
        lineage.end()
        let owner = flight?.owner
        let revoking = revoke(flight?.replaced, .logout, for: owner, at: moment)
        // Who logged out is told when the server has heard of it.
        if !revoking.isEmpty { flight?.owner = nil }
        endWaiting()
        let ending = end(of: record, .loggedOut, with: .loginRequired(.loggedOut), at: moment)
        return ending + [.interrupt(.loginRequired(.loggedOut))] + revoking + revoked
    }

    /// Who came before the logout, for a forced refresh too, is not to go on with another session's credential.
    private mutating func endWaiting() {
        guard let asked = flight?.asked else { return }
        flight?.isLoggedOut = true
        for waiter in forced where waiter < asked { flight?.waiters[waiter] = Want(isForced: true) }
        forced.removeAll { $0 < asked }
    }

    /// A login or a logout could not be written: the refresh that was fenced off is the flight again.
    mutating func goOn(after write: Flight, _ failing: [Action], at moment: Moment) -> [Action] {
        guard let fenced else { return [.close(flight: write.id)] + failing }
        if !writes.isEmpty {
            let next = writes.removeFirst()
            let heir = inherit(next, waiters: write.waiters, from: write.id, at: moment)
            return heir + [.close(flight: write.id)] + failing
        }
        self.fenced = nil
        flight = fenced.flight
        flight?.waiters = write.waiters
        let actions = [.bequeath(flight: write.id, to: fenced.flight.id), .close(flight: write.id)] + failing
        guard let answer = fenced.answer else { return actions }
        return actions + answered(fenced.flight.id, answer, at: moment)
    }

    /// Drops the refresh that is fenced off: now, or when its answer comes.
    private mutating func drop(at moment: Moment) -> [Action] {
        guard let fenced else { return [] }
        self.fenced = nil
        late[fenced.flight.id] = fenced.flight
        return fenced.answer.map { dropped(fenced.flight.id, $0, at: moment) } ?? []
    }

    /// An input of a flight that is not the one that runs.
    mutating func dropped(_ id: Int, _ answer: Answer?, at moment: Moment) -> [Action] {
        if let fenced, fenced.flight.id == id {
            if let answer {
                self.fenced?.answer = answer
                return []
            }
            self.fenced = nil
            return [.close(flight: id), .report(event(of: fenced.flight, .discarded, at: moment))]
        }
        guard let flight = late.removeValue(forKey: id) else { return [.close(flight: id)] }
        let actions: [Action] = [.close(flight: id), .report(event(of: flight, .discarded, at: moment))]
        guard case .credential(let credential)? = answer, case .refreshing(let stored) = flight.phase else {
            return actions
        }
        let record = StoredCredential(credential: credential.keeping(stored), version: stored.version &+ 1)
        return actions + revoke(record.credential, .discarded, at: moment)
    }

    private mutating func revoke(
        _ credential: Credential?, _ cause: RevocationEvent.Cause, for owner: Int? = nil, at moment: Moment
    ) -> [Action] {
        guard limits.revokes, let credential else { return [] }
        let number = nextNumber()
        revocations[number] = Revocation(
            cause: cause, generation: credential.generation, began: moment.monotonic, owner: owner)
        return [.revoke(number, credential)]
    }

    mutating func revoked(_ number: Int, _ outcome: RevocationEvent.Outcome, at moment: Moment) -> [Action] {
        guard let revocation = revocations.removeValue(forKey: number) else { return [] }
        let event = RevocationEvent(
            cause: revocation.cause, outcome: outcome, generation: revocation.generation,
            duration: revocation.began.duration(to: moment.monotonic))
        let telling: [Action] = revocation.owner.map { [.release([$0], nil)] } ?? []
        return [.close(flight: number), .reportRevocation(event)] + telling
    }
}
