import FreshetCore

// Logins and logouts. They come before any refresh: one that has been asked for is fenced off, and its answer waits until the
// write has ended. If that succeeds, the answer is dropped and revoked; if it fails, the refresh goes on.
extension RefreshStateMachine {
    mutating func write(_ job: Job, for owner: Int, at moment: Moment) -> [Action] {
        guard let flight else { return begin(job, waiters: [:], owner: owner, at: moment) }
        guard flight.isRefresh, writes.isEmpty else {
            writes.append(Write(job: job, owner: owner))
            return []
        }
        switch flight.phase {
        case .opening:
            return [.close(flight: flight.id)] + begin(job, waiters: flight.waiters, owner: owner, at: moment)
        case .refreshing:
            fenced = Fenced(flight: flight)
            fenced?.flight.waiters = [:]
            return inherit(job, waiters: flight.waiters, owner: owner, from: flight.id, at: moment)
        case .confirming, .persisting, .marking:
            // It is nearly done, and has the lock until it is.
            writes.append(Write(job: job, owner: owner))
            return []
        }
    }

    /// The lock is not let go between the refresh and the write: a sibling would ask with the same refresh token.
    private mutating func inherit(
        _ job: Job, waiters: [Int: Want], owner: Int?, from id: Int, at moment: Moment
    ) -> [Action] {
        let heir = nextNumber()
        flight = Flight(id: heir, job: job, began: moment.monotonic, waiters: waiters, owner: owner)
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
        let owner = flight?.owner
        let revoking = revoke(flight?.replaced, .logout, for: owner, at: moment)
        // Who logged out is told when the server has heard of it.
        if !revoking.isEmpty { flight?.owner = nil }
        let ending = end(of: record, .loggedOut, with: .loginRequired(.loggedOut), at: moment)
        return ending + [.interrupt(.loginRequired(.loggedOut))] + revoking + revoked
    }

    /// A login or a logout could not be written: the refresh that was fenced off is the flight again.
    mutating func goOn(after write: Flight, _ failing: [Action], at moment: Moment) -> [Action] {
        guard let fenced else { return [.close(flight: write.id)] + failing }
        if !writes.isEmpty {
            let next = writes.removeFirst()
            let heir = inherit(next.job, waiters: write.waiters, owner: next.owner, from: write.id, at: moment)
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
