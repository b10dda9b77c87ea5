import FreshetCore
import FreshetHTTP

// How operations end. In each case the lock is released first, and each waiter is notified once. If a login or a logout is
// still in the queue, the waiters are notified at the end of that login or logout.
extension RefreshStateMachine {
    /// Whether the waiters are notified when the running operation ends.
    var isLast: Bool { queue.isEmpty }

    mutating func succeed(
        with credential: Credential, _ outcome: RefreshEvent.Outcome?, at now: Timestamp
    ) -> [Action] {
        let notified = isLast ? waiting.keys.sorted() : []
        return finish(outcome, notifying: notified, release(notified, credential), at: now)
    }

    /// Resumes `waiters` with `credential`. Those whose requests were sent in an earlier session must not continue with it.
    func release(_ waiters: [Int], _ credential: Credential) -> [Action] {
        let ended = waiters.filter { waiting[$0]?.replacing.map(history.hasEnded) ?? false }
        let others = waiters.filter { !ended.contains($0) }
        return (ended.isEmpty ? [] : [.fail(ended, .loginRequired(.loggedOut))])
            + (others.isEmpty ? [] : [.release(others, credential)])
    }

    /// Ends the running operation with a failure that keeps the tokens. Requests that can use the old credential continue with
    /// it.
    mutating func fail(with failure: RefreshFailure, notifyingAll: Bool = true, at now: Timestamp) -> [Action] {
        pendingWrite?.error = failure.reason
        let notified = isLast && notifyingAll ? waiting : [:]
        if case .active(var current) = session {
            let isRefusal = failure.isStorm && current.isRejected
            if isRefusal {
                // One endpoint may refuse what all others accept. Only requests that were refused fail.
                current.isRejected = false
                session = .active(current)
            }
            if failure.keepsCredential, current.serves(at: now) {
                let content = isRefusal ? current.credential : postpone(current, at: now)
                let notifications = notify(notified, resumingWith: content, insteadOf: failure)
                return finish(
                    failure.outcome, failure, notifying: notified.keys.sorted(), notifications, at: now)
            }
            current.failure = (failure, now.monotonic)
            session = .active(current)
        }
        let names = notified.keys.sorted()
        let notifications: [Action] = names.isEmpty ? [] : [.fail(names, failure)]
        return finish(failure.outcome, failure, notifying: names, notifications, at: now)
    }

    /// Postpones the next refresh. Returns the credential that stays in use.
    private mutating func postpone(_ current: SessionCredential, at now: Timestamp) -> Credential {
        var current = current
        let pause = Duration.seconds(
            current.life.pause(at: now, atMost: settings.advisoryPause / .seconds(1), random: random))
        let rest = circuitBreaker.remainingPause(at: now.monotonic) ?? .zero
        current.retryAt = now.monotonic.advanced(by: max(pause, rest))
        session = .active(current)
        return current.credential
    }

    /// Notifies all waiters that the refresh takes too long, but keeps waiting for the response for one more deadline under the
    /// lock. The server may have rotated the refresh token, and then only this response has a working one. Nothing else is
    /// asked in the meantime.
    mutating func giveUpWaiting(with failure: RefreshFailure, at now: Timestamp) -> [Action] {
        guard let refresh else { return [] }
        change { $0.isOverdue = true }
        return [.extend(refresh.id)] + endWaiting(with: failure, at: now)
    }

    /// Notifies all waiters of a refresh that goes on without them.
    mutating func endWaiting(with failure: RefreshFailure, at now: Timestamp) -> [Action] {
        var notifications: [Action] = []
        if case .active(let current) = session, current.serves(at: now) {
            let content = postpone(current, at: now)
            notifications = notify(waiting, resumingWith: content, insteadOf: failure)
        } else if !waiting.isEmpty {
            notifications = [.fail(waiting.keys.sorted(), failure)]
        }
        if !forced.isEmpty { notifications.append(.fail(forced, failure)) }
        (waiting, forced) = ([:], [])
        return notifications
    }

    /// Ends the session until a login. If the old credential is still usable, the session ends when that expires.
    mutating func end(
        of stored: StoredCredential, _ reason: LoginRequired, with failure: RefreshFailure, at now: Timestamp
    ) -> [Action] {
        // Another gate or process has logged out.
        if reason == .noCredential, lastCredential != nil { replaceSession() }
        let announcing = announce(reason)
        let failure = isLogout(reason) ? .loggedOutElsewhere : failure
        let notified = isLast ? waiting : [:]
        let names = notified.keys.sorted()
        if reason == .refused, isServed(stored, at: now), case .active(var current) = session {
            current.isRefused = true
            session = .active(current)
            let notifications = notify(notified, resumingWith: current.credential, insteadOf: failure)
            return finish(.refused, failure, notifying: names, announcing + notifications, at: now)
        }
        session = .over(Ended(stored: stored, failure: failure, at: now.monotonic))
        pendingWrite = nil
        let notifications: [Action] = names.isEmpty ? [] : [.fail(names, failure)]
        let outcome: RefreshEvent.Outcome = reason == .noCredential ? .noCredential : .refused
        return finish(outcome, failure, notifying: names, announcing + notifications, at: now)
    }

    /// Whether the stored credential is that of the session, and can be used, as far as the gate knows.
    func isServed(_ stored: StoredCredential, at now: Timestamp) -> Bool {
        guard case .active(let current) = session else { return false }
        return current.credential.generation == stored.version && current.serves(at: now)
    }

    /// Announces that a login is required: once, and again only after another session. A store that is empty after a session
    /// was emptied by a logout.
    mutating func announce(_ reason: LoginRequired) -> [Action] {
        defer { recordAnnouncement() }
        return isAnnounced ? [] : [.announce(isLogout(reason) ? .loggedOut : reason)]
    }

    /// Announces that a login is required if the error of a read says that the store holds no record, which a login replaces,
    /// and if no credential serves meanwhile.
    mutating func announceDamage(_ error: any Error, at now: Timestamp) -> [Action] {
        guard settings.needsLogin, !isAnnounced, (error as? StoreError)?.isUnreadableRecord == true else { return [] }
        if case .active(let current) = session, current.serves(at: now) { return [] }
        recordAnnouncement()
        return [.announce(.noCredential)]
    }

    private func isLogout(_ reason: LoginRequired) -> Bool { reason == .noCredential && !history.ended.isEmpty }

    /// Resumes the waiters that can use the old credential with that credential, and fails the others.
    private func notify(
        _ waiting: [Int: Requirement], resumingWith credential: Credential, insteadOf failure: RefreshFailure
    ) -> [Action] {
        let content = waiting.filter { !$0.value.isForced && $0.value.replacing != credential.generation }
        let others = Set(waiting.keys).subtracting(content.keys).sorted()
        return release(content.keys.sorted(), credential) + (others.isEmpty ? [] : [.fail(others, failure)])
    }

    /// Ends the running operation. Waiters that are not in `notified` wait for the next operation. A refresh for them, or for a
    /// write that is wanted, begins now unless a login or a logout is in the queue.
    mutating func finish(
        _ outcome: RefreshEvent.Outcome? = nil, _ failure: RefreshFailure? = nil, notifying notified: [Int],
        _ notifications: [Action] = [], at now: Timestamp
    ) -> [Action] {
        guard let running else { return [] }
        var actions: [Action] = [.close(running.id)]
        if let outcome, let refresh, refresh.cause != nil {
            actions.append(.report(event(of: refresh, outcome, failure, waiters: waiting.count, at: now)))
        }
        self.running = nil
        for waiter in notified { waiting[waiter] = nil }
        actions += notifications
        let isWriteWanted = pendingWrite.map { $0.error == nil } ?? false
        if isIdle, !waiting.isEmpty || !forced.isEmpty || isWriteWanted { actions += beginRefresh(at: now) }
        return actions
    }

    func event(
        of refresh: Refresh, _ outcome: RefreshEvent.Outcome, _ failure: RefreshFailure? = nil, waiters: Int,
        at now: Timestamp
    ) -> RefreshEvent {
        RefreshEvent(
            cause: refresh.cause ?? .missing, outcome: outcome, error: failure?.clientError,
            generation: refresh.generation, waiters: waiters, duration: refresh.began.duration(to: now.monotonic))
    }
}
