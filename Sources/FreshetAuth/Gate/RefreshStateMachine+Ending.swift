import FreshetCore

// The ways in which an operation ends. Whatever the way: the lock goes back first, and everybody who waited hears of it once.
// Where a login or a logout still waits for its turn, they hear of its end instead.
extension RefreshStateMachine {
    /// Whether those who wait are told of the end of what runs.
    var isLast: Bool { queue.isEmpty }

    mutating func succeed(
        with credential: Credential, _ outcome: RefreshEvent.Outcome?, at moment: Moment
    ) -> [Action] {
        let told = isLast ? waiting.keys.sorted() : []
        return finish(outcome, telling: told, told.isEmpty ? [] : [.release(told, credential)], at: moment)
    }

    /// The tokens are kept. Requests that can use the old credential go on with it.
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

    /// It is renewed later.
    private mutating func putOff(_ held: SessionCredential, at moment: Moment) -> Credential {
        var held = held
        let pause = held.life.pause(at: moment, atMost: limits.longestPause, chance: chance)
        let retryAt = moment.monotonic.advanced(by: .seconds(pause))
        held.retryAt = max(retryAt, circuitBreaker.restsUntil ?? retryAt)
        session = .active(held)
        return held.credential
    }

    /// Everybody who waits is told that it takes too long. But the server may have rotated the refresh token, and then the
    /// answer has the only one that works: it is waited for as long again, under the lock, and nothing else is asked meanwhile.
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

    /// The session is over, until a login; or as soon as the old credential no longer serves, if it still does.
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

    /// Once, and again only after another session.
    mutating func announce(_ reason: LoginRequired) -> [Action] {
        defer { isAnnounced = true }
        return isAnnounced ? [] : [.announce(reason)]
    }

    /// All but those who want another go on with the old credential.
    private static func notify(
        _ waiting: [Int: Want], toGoOnWith credential: Credential, insteadOf failure: RefreshFailure
    ) -> [Action] {
        let content = waiting.filter { !$0.value.isForced && $0.value.replacing != credential.generation }
        let others = Set(waiting.keys).subtracting(content.keys).sorted()
        return (content.isEmpty ? [] : [.release(content.keys.sorted(), credential)])
            + (others.isEmpty ? [] : [.fail(others, failure)])
    }

    /// The operation that runs has ended. Waiters that are not told wait for the next one, which begins now unless a login or a
    /// logout is in the line.
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
