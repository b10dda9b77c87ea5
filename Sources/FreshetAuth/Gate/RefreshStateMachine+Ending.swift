import FreshetCore
import FreshetHTTP

// How operations end. In each case the lock is released first, and each waiter is notified once. If a login or a logout is
// still in the queue, the waiters are notified at the end of that login or logout.
extension RefreshStateMachine {
    /// Whether the waiters are notified when the running operation ends.
    var isLast: Bool { queue.isEmpty }

    mutating func succeed(
        with credential: Credential, _ outcome: RefreshEvent.Outcome?, at moment: Moment
    ) -> [Action] {
        let told = isLast ? waiting.keys.sorted() : []
        return finish(outcome, telling: told, told.isEmpty ? [] : [.release(told, credential)], at: moment)
    }

    /// Ends the running operation with a failure that keeps the tokens. Requests that can use the old credential continue with
    /// it.
    mutating func fail(with failure: RefreshFailure, tellingAll: Bool = true, at moment: Moment) -> [Action] {
        let told = isLast && tellingAll ? waiting : [:]
        if case .active(var held) = session {
            if failure.leavesTheOldOne, held.serves(at: moment) {
                let telling = Self.notify(told, toGoOnWith: putOff(held, at: moment), insteadOf: failure)
                return finish(failure.outcome, telling: told.keys.sorted(), telling, at: moment)
            }
            held.failure = (failure, moment.monotonic)
            session = .active(held)
        }
        let names = told.keys.sorted()
        return finish(failure.outcome, telling: names, names.isEmpty ? [] : [.fail(names, failure)], at: moment)
    }

    /// Postpones the next refresh. Returns the credential that stays in use.
    private mutating func putOff(_ held: SessionCredential, at moment: Moment) -> Credential {
        var held = held
        let pause = Duration.seconds(held.life.pause(at: moment, atMost: limits.longestPause, chance: chance))
        let rest = circuitBreaker.remainingPause(at: moment.monotonic) ?? .zero
        held.retryAt = moment.monotonic.advanced(by: max(pause, rest))
        session = .active(held)
        return held.credential
    }

    /// Notifies all waiters that the refresh takes too long, but keeps waiting for the response for one more deadline under the
    /// lock. The server may have rotated the refresh token, and then only this response has a working one. Nothing else is
    /// asked in the meantime.
    mutating func giveUpWaiting(with failure: RefreshFailure, at moment: Moment) -> [Action] {
        guard let refresh else { return [] }
        var telling: [Action] = []
        if case .active(let held) = session, held.serves(at: moment) {
            telling = Self.notify(waiting, toGoOnWith: putOff(held, at: moment), insteadOf: failure)
        } else if !waiting.isEmpty {
            telling = [.fail(waiting.keys.sorted(), failure)]
        }
        if !forced.isEmpty { telling.append(.fail(forced, failure)) }
        (waiting, forced) = ([:], [])
        change { $0.isOverdue = true }
        return [.extend(refresh.id)] + telling
    }

    /// Ends the session until a login. If the old credential is still usable, the session ends when that expires.
    mutating func end(
        of stored: StoredCredential, _ reason: LoginRequired, with failure: RefreshFailure, at moment: Moment
    ) -> [Action] {
        let announcing = announce(reason)
        let told = isLast ? waiting : [:]
        let names = told.keys.sorted()
        if reason == .refused, case .active(var held) = session, held.credential.generation == stored.version,
            held.serves(at: moment)
        {
            held.isSpent = true
            session = .active(held)
            let telling = Self.notify(told, toGoOnWith: held.credential, insteadOf: failure)
            return finish(.refused, telling: names, announcing + telling, at: moment)
        }
        session = .over(Ended(stored: stored, failure: failure, at: moment.monotonic))
        unsaved = nil
        let telling: [Action] = names.isEmpty ? [] : [.fail(names, failure)]
        return finish(.refused, telling: names, announcing + telling, at: moment)
    }

    /// Announces that a login is required: once, and again only after another session.
    mutating func announce(_ reason: LoginRequired) -> [Action] {
        defer { isAnnounced = true }
        return isAnnounced ? [] : [.announce(reason)]
    }

    /// Resumes the waiters that can use the old credential with that credential, and fails the others.
    private static func notify(
        _ waiting: [Int: Want], toGoOnWith credential: Credential, insteadOf failure: RefreshFailure
    ) -> [Action] {
        let content = waiting.filter { !$0.value.isForced && $0.value.replacing != credential.generation }
        let others = Set(waiting.keys).subtracting(content.keys).sorted()
        return (content.isEmpty ? [] : [.release(content.keys.sorted(), credential)])
            + (others.isEmpty ? [] : [.fail(others, failure)])
    }

    /// Ends the running operation. Waiters that are not in `told` wait for the next operation. A refresh for them begins now
    /// unless a login or a logout is in the queue.
    mutating func finish(
        _ outcome: RefreshEvent.Outcome? = nil, telling told: [Int], _ telling: [Action] = [], at moment: Moment
    ) -> [Action] {
        guard let running else { return [] }
        var actions: [Action] = [.close(running.id)]
        if let outcome, let refresh, refresh.cause != nil {
            actions.append(.report(event(of: refresh, outcome, waiters: waiting.count, at: moment)))
        }
        self.running = nil
        for waiter in told { waiting[waiter] = nil }
        actions += telling
        if isIdle, !waiting.isEmpty || !forced.isEmpty { actions += beginRefresh(at: moment) }
        return actions
    }

    func event(
        of refresh: Refresh, _ outcome: RefreshEvent.Outcome, waiters: Int, at moment: Moment
    ) -> RefreshEvent {
        RefreshEvent(
            cause: refresh.cause ?? .missing, outcome: outcome, generation: refresh.generation, waiters: waiters,
            duration: refresh.began.duration(to: moment.monotonic))
    }
}
