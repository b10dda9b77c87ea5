import FreshetCore
import FreshetHTTP

// Superseded refreshes, and credentials that must no longer be used.
extension RefreshStateMachine {
    /// Handles the response to a refresh that is not the running operation.
    mutating func responded(late id: Int, _ response: RefreshResponse, at now: Timestamp) -> [Action] {
        if case .write(var write)? = running, write.replaced?.id == id {
            write.response = response
            running = .write(write)
            return []
        }
        return late.removeValue(forKey: id).map { discard($0, response, at: now) } ?? []
    }

    /// Drops the refresh that `write` has superseded: now, or when its response arrives.
    mutating func discardReplaced(by write: Write, at now: Timestamp) -> [Action] {
        var discarding: [Action] = []
        if let refresh = write.replaced {
            if let response = write.response {
                discarding = discard(refresh, response, at: now)
            } else {
                late[refresh.id] = refresh
            }
        }
        if let pendingWrite { discarding += revoke(pendingWrite.record.credential, .discarded, at: now) }
        pendingWrite = nil
        return discarding
    }

    mutating func discard(_ refresh: Refresh, _ response: RefreshResponse?, at now: Timestamp) -> [Action] {
        let actions: [Action] = [
            .drop(refresh.id), .report(event(of: refresh, .discarded, waiters: 0, at: now)),
        ]
        guard case .credential(let credential, _)? = response, case .requesting(let stored) = refresh.phase else {
            return actions
        }
        // The new pair continues the session of the old one, which the login can be of.
        if case .active(let current) = session, stored.credential.map(current.credential.sharesToken) == true {
            return actions
        }
        let record = stored.successor(credential.keeping(stored))
        return actions + revoke(record.credential, .discarded, at: now)
    }

    mutating func revoke(
        _ credential: Credential?, _ cause: RevocationEvent.Cause, for owner: Int? = nil, at now: Timestamp
    ) -> [Action] {
        guard revokes, let credential else { return [] }
        // The session of a login that has one of its tokens would end with it.
        if case .active(let current) = session, current.credential.sharesToken(with: credential) { return [] }
        let number = nextNumber()
        revocations[number] = Revocation(
            cause: cause, generation: credential.generation, began: now.monotonic, owner: owner)
        return [.revoke(number, credential)]
    }

    mutating func revoked(
        _ number: Int, _ outcome: RevocationEvent.Outcome, _ error: (any Error)?, at now: Timestamp
    ) -> [Action] {
        guard let revocation = revocations.removeValue(forKey: number) else { return [] }
        let event = RevocationEvent(
            cause: revocation.cause, outcome: outcome, error: error, generation: revocation.generation,
            duration: revocation.began.duration(to: now.monotonic))
        let notifications: [Action] = revocation.owner.map { [.release([$0], nil)] } ?? []
        return [.drop(number), .reportRevocation(event)] + notifications
    }
}
