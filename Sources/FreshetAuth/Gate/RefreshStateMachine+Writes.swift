import FreshetCore
import FreshetHTTP

// Logins and logouts. A write that arrives while a refresh reads the store or asks the server takes over its transaction at
// once. If the write succeeds, the response to the refresh is dropped and its credential revoked. If the write fails, the
// refresh continues. While a refresh is being written, the write waits in the queue. A login that keeps a working credential
// waits there also while the refresh asks the server, because it needs the result.
extension RefreshStateMachine {
    /// Begins or queues a write.
    ///
    /// - Parameter credential: the credential of a login; `nil` for a logout.
    mutating func write(
        _ credential: Credential?, for owner: Int, replacing replacement: Replacement = .always, at now: Timestamp
    ) -> [Action] {
        var write = Write(id: nextNumber(), credential: credential, replacement: replacement, owner: owner)
        if let refresh, queue.allSatisfy({ $0.replacement == .unlessWorking }) {
            switch refresh.phase {
            case .readingStore:
                running = .write(write)
                return [.drop(refresh.id), .begin(write.id)]
            case .opening:
                running = .write(write)
                return [.replace(refresh.id, by: write.id), .drop(refresh.id), .open(write.id)]
            case .requesting where replacement != .unlessWorking:
                // What becomes of the superseded refresh says nothing about the endpoint.
                releasePermit(.none, at: now)
                write.replaced = self.refresh
                running = .write(write)
                return [.replace(refresh.id, by: write.id), .open(write.id)]
            case .requesting, .confirming, .marking, .persisting: break
            }
        }
        queue.append(write)
        return [.begin(write.id)]
    }

    /// Begins the operation whose transaction has reached the front of the queue.
    mutating func began(_ id: Int) -> [Action] {
        if queue.first?.id == id { running = .write(queue.removeFirst()) }
        return running?.id == id && isOpening ? [.open(id)] : []
    }

    /// Whether the running operation has not read the store under its lock yet.
    private var isOpening: Bool {
        switch running {
        case .refresh(let refresh)?: if case .opening = refresh.phase { true } else { false }
        case .write(let write)?: if case .opening = write.phase { true } else { false }
        case nil: false
        }
    }

    mutating func opened(_ id: Int, _ opening: Opening, at now: Timestamp) -> [Action] {
        switch running {
        case .refresh(let refresh)? where refresh.id == id: opened(refresh, opening, at: now)
        case .write(let write)? where write.id == id: opened(write, opening, at: now)
        default: []
        }
    }

    private mutating func opened(_ write: Write, _ opening: Opening, at now: Timestamp) -> [Action] {
        guard case .opening = write.phase else { return [] }
        let opening = write.replacement == .unlessWorking ? applicable(opening) : opening
        switch (write.credential, opening) {
        case (_, .unlockable(let error)), (nil, .unreadable(let error)):
            return fail(write, with: .store(error), at: now)
        case (_?, .unreadable(let error)) where write.replacement == .unlessWorking:
            return fail(write, with: .store(error), at: now)
        case (let credential?, _):
            var replaced: Credential?
            if write.replacement == .unlessWorking, case .found(let stored) = opening,
                let stored = working(stored, at: now)
            {
                return keep(stored, insteadOf: write, at: now)
            }
            if write.replacement == .andRevoke, case .found(let stored) = opening { replaced = stored.credential }
            return persist(write, successor(of: opening, credential), insteadOf: replaced)
        case (nil, .found(let stored)):
            return persist(write, successor(of: opening, nil), insteadOf: stored.credential)
        }
    }

    /// Returns the stored credential if it, or its successor that could not be written, can be used or refreshed as far as the
    /// gate knows.
    private func working(_ stored: StoredCredential, at now: Timestamp) -> Credential? {
        guard let credential = stored.credential else { return nil }
        if hasPendingSuccessor(stored) { return credential }
        if stored.isRefused { return nil }
        let isWorking =
            switch session {
            case .over(let ended) where ended.isEnd(of: stored): false
            case .active(let current) where current.isRefused && current.credential.generation == stored.version:
                current.serves(at: now)
            default: !credential.isExpired(at: now.wall) || credential.isRefreshable(at: now.wall)
            }
        return isWorking ? credential : nil
    }

    /// Ends a login that stores nothing, because `stored` works. The requests that waited for it continue with a refresh, which
    /// reads the store.
    private mutating func keep(_ stored: Credential, insteadOf write: Write, at now: Timestamp) -> [Action] {
        var notifications: [Action] = [.release([write.owner], stored)]
        // Requests may have been refused with a credential that the gate knows.
        let isKnown =
            if case .active(let current) = session { current.credential.generation == stored.generation } else { false }
        if !isKnown {
            adopt(stored, isRejected: isReplacementRequested(of: stored.generation), at: now)
            notifications.append(.loggedIn(stored))
        }
        return finish(notifying: [], notifications, at: now)
    }

    private mutating func persist(
        _ write: Write, _ record: StoredCredential, insteadOf old: Credential? = nil
    ) -> [Action] {
        var write = write
        write.phase = .persisting(record, insteadOf: old)
        running = .write(write)
        return [.persist(write.id, record)]
    }

    private func successor(of opening: Opening, _ credential: Credential?) -> StoredCredential {
        let stored = if case .found(let stored) = opening { stored } else { StoredCredential.empty }
        var credential = credential
        // Without a logout in between, the login continues the session, as far as it is known to be of the same account.
        let old = if case .found = opening { stored.credential } else { lastCredential }
        if let old, credential?.isOfAnotherAccount(than: old) == false {
            credential?.details.sessionID = old.details.sessionID
        }
        return stored.successor(credential, version: nextVersion(after: stored.version))
    }

    func nextVersion(after stored: Int) -> Int {
        var version = stored
        switch session {
        case .active(let current): version = max(version, current.credential.generation)
        case .over(let ended): version = max(version, ended.stored.version)
        case .unread: break
        }
        // The order of versions has no meaning, so an overflow is allowed.
        return version &+ 1
    }

    /// Handles a record that was read while requests wait for a login. Another gate or process may have written a login, and
    /// then an earlier failure counts no more.
    mutating func noticed(_ stored: StoredCredential, at now: Timestamp) -> [Action] {
        guard let credential = stored.credential, !stored.isRefused else { return [] }
        switch session {
        case .over(let ended) where ended.isEnd(of: stored): return []
        case .active(let current) where current.credential.generation == stored.version: break
        default: if isIdle, isApplicable(stored) { adopt(credential, at: now) }
        }
        return [.loggedIn(credential)]
    }

    mutating func persisted(_ id: Int, _ error: (any Error)?, at now: Timestamp) -> [Action] {
        switch running {
        case .refresh(let refresh)? where refresh.id == id: return persisted(refresh, error, at: now)
        case .write(let write)? where write.id == id:
            guard case .persisting(let record, let old) = write.phase else { return [] }
            if let error { return fail(write, with: .store(error), at: now) }
            return written(write, record, insteadOf: old, at: now)
        default: return []
        }
    }

    private mutating func written(
        _ write: Write, _ record: StoredCredential, insteadOf old: Credential?, at now: Timestamp
    ) -> [Action] {
        if let credential = record.credential {
            let endsSession = lastCredential.map(credential.isOfAnotherSession) ?? false
            let ending = endsSession ? endWaiters(before: write.owner) : []
            adopt(credential, at: now)
            let discarding = discardReplaced(by: write, at: now)
            // With a refresh token alone, a refresh follows for those that wait.
            let notified = isLast && !credential.isExpired(at: now.wall) ? waiting.keys.sorted() : []
            let revoking = revoke(old, .replaced, at: now)
            let releasing = release(notified + [write.owner], credential) + [.loggedIn(credential)]
            return finish(notifying: notified, ending + releasing, at: now) + revoking + discarding
        }
        history.end()
        let failure = RefreshFailure.loginRequired(.loggedOut)
        session = .over(Ended(stored: record, failure: failure, at: now.monotonic))
        let discarding = discardReplaced(by: write, at: now)
        let revoking = revoke(old, .logout, for: write.owner, at: now)
        var notifications = announce(.loggedOut) + endWaiters(before: write.owner)
        let notified = isLast ? waiting.keys.sorted() : []
        if !notified.isEmpty { notifications.append(.fail(notified, failure)) }
        // The caller of the logout is notified after the revocation.
        if revoking.isEmpty { notifications.append(.release([write.owner], nil)) }
        return finish(notifying: notified, notifications, at: now) + [.interrupt(failure)] + revoking + discarding
    }

    /// Fails the waiters, including forced ones, that arrived before a write that has ended their session. They must not receive
    /// the credential of another session.
    private mutating func endWaiters(before owner: Int) -> [Action] {
        let ended = (waiting.keys + forced).filter { $0 < owner }.sorted()
        for waiter in ended { waiting[waiter] = nil }
        forced.removeAll { $0 < owner }
        return ended.isEmpty ? [] : [.fail(ended, .loginRequired(.loggedOut))]
    }

    /// Fails a login or a logout that could not be written, and resumes the refresh that it had superseded.
    private mutating func fail(_ write: Write, with failure: RefreshFailure, at now: Timestamp) -> [Action] {
        let notifications = Action.fail([write.owner], failure)
        guard let refresh = write.replaced else {
            let notified = isLast ? waiting.keys.sorted() : []
            return finish(
                notifying: notified, (notified.isEmpty ? [] : [.fail(notified, failure)]) + [notifications], at: now)
        }
        // A login that keeps a working credential goes on waiting for the refresh.
        if var next = queue.first, next.replacement != .unlessWorking {
            queue.removeFirst()
            (next.replaced, next.response) = (refresh, write.response)
            running = .write(next)
            return [.replace(write.id, by: next.id), .drop(write.id), .open(next.id), notifications]
        }
        running = .refresh(refresh)
        let continuing: [Action] = [.replace(write.id, by: refresh.id), .drop(write.id), notifications]
        if let response = write.response { return continuing + responded(refresh.id, response, at: now) }
        return continuing + (refresh.isOverdue ? endWaiting(with: failure, at: now) : [])
    }

    mutating func overdue(_ id: Int, at now: Timestamp) -> [Action] {
        switch running {
        case .refresh(let refresh)? where refresh.id == id: return overdue(refresh, at: now)
        case .write(let write)? where write.id == id:
            let isWaiting = if case .opening = write.phase { true } else { false }
            let timeout = isWaiting ? RefreshTimeout(lock: lockName) : RefreshTimeout(step: "writing the store")
            return fail(write, with: .store(timeout), at: now)
        case .write(var write)? where write.replaced?.id == id:
            guard let refresh = write.replaced else { return [] }
            write.replaced = refresh.afterDeadline
            running = .write(write)
            return overdue(superseded: refresh, at: now)
        default:
            guard let refresh = late[id] else { return [] }
            late[id] = refresh.afterDeadline
            return overdue(superseded: refresh, at: now)
        }
    }

    private mutating func overdue(superseded refresh: Refresh, at now: Timestamp) -> [Action] {
        refresh.afterDeadline == nil ? discard(refresh, nil, at: now) : [.extend(refresh.id)]
    }
}
