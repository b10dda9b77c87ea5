import FreshetCore

// The ways in which a flight ends. Whatever the way: the lock goes back first, and everybody who waited hears of it once.
extension RefreshStateMachine {
    mutating func succeed(
        with credential: Credential, _ outcome: RefreshEvent.Outcome?, at moment: Moment
    ) -> [Action] {
        finish(outcome, at: moment) { flight in
            let everybody = flight.waiters.keys.sorted() + [flight.owner].compactMap { $0 }
            return everybody.isEmpty ? [] : [.release(everybody, credential)]
        }
    }

    /// The tokens are kept. Who can use the old credential goes on with it.
    mutating func fail(with failure: RefreshFailure, at moment: Moment) -> [Action] {
        guard let flight, flight.isRefresh else { return failWrite(with: failure, at: moment) }
        if case .active(var held) = session {
            if failure.leavesTheOldOne, held.serves(at: moment) {
                return goOn(with: putOff(held, at: moment), insteadOf: failure, failure.outcome, at: moment)
            }
            held.failure = (failure, moment.monotonic)
            session = .active(held)
        }
        return finish(failure.outcome, at: moment) { flight in
            flight.waiters.isEmpty ? [] : [.fail(flight.waiters.keys.sorted(), failure)]
        }
    }

    /// It is renewed later.
    private mutating func putOff(_ held: Held, at moment: Moment) -> Credential {
        var held = held
        let pause = held.life.pause(at: moment, atMost: limits.longestPause, chance: chance)
        let retryAt = moment.monotonic.advanced(by: .seconds(pause))
        held.retryAt = max(retryAt, breaker.restsUntil ?? retryAt)
        session = .active(held)
        return held.credential
    }

    /// Everybody who waits is told that it takes too long. But the server may have rotated the refresh token, and then the
    /// answer has the only one that works: it is waited for as long again, under the lock, and nothing else is asked meanwhile.
    mutating func giveUpWaiting(with failure: RefreshFailure, at moment: Moment) -> [Action] {
        guard var flight else { return [] }
        var telling: [Action] = []
        if case .active(let held) = session, held.serves(at: moment) {
            telling = Self.tell(flight, toGoOnWith: putOff(held, at: moment), insteadOf: failure)
        } else if !flight.waiters.isEmpty {
            telling = [.fail(flight.waiters.keys.sorted(), failure)]
        }
        if !forced.isEmpty { telling.append(.fail(forced, failure)) }
        forced = []
        flight.isOverdue = true
        flight.waiters = [:]
        self.flight = flight
        return [.extend(flight: flight.id)] + telling
    }

    private mutating func failWrite(with failure: RefreshFailure, at moment: Moment) -> [Action] {
        guard let flight else { return [] }
        var telling: [Action] = flight.owner.map { [.fail([$0], failure)] } ?? []
        if fenced != nil { return goOn(after: flight, telling, at: moment) }
        let waiters = flight.waiters.keys.sorted()
        if writes.isEmpty, !waiters.isEmpty { telling.insert(.fail(waiters, failure), at: 0) }
        return finish(nil, at: moment) { _ in telling }
    }

    /// The session is over, until a login; or as soon as the old credential no longer serves, if it still does.
    mutating func end(
        of stored: StoredCredential, _ reason: LoginRequired, with failure: RefreshFailure, at moment: Moment
    ) -> [Action] {
        let isNews = !isAnnounced
        isAnnounced = true
        let announcing: [Action] = isNews ? [.announce(reason)] : []
        if reason == .refused, case .active(var held) = session, held.credential.generation == stored.version,
            held.serves(at: moment)
        {
            held.isSpent = true
            session = .active(held)
            return goOn(with: held.credential, insteadOf: failure, .refused, announcing, at: moment)
        }
        session = .over(Ended(stored: stored, failure: failure, at: moment.monotonic))
        unsaved = nil
        return finish(.refused, at: moment) { flight in
            let failing: [Action] =
                flight.waiters.isEmpty ? [] : [.fail(flight.waiters.keys.sorted(), failure)]
            return announcing + failing + (flight.owner.map { [.release([$0], nil)] } ?? [])
        }
    }

    /// The refresh came to nothing, but the old credential serves: all but those who want another go on with it.
    private mutating func goOn(
        with credential: Credential, insteadOf failure: RefreshFailure, _ outcome: RefreshEvent.Outcome,
        _ announcing: [Action] = [], at moment: Moment
    ) -> [Action] {
        finish(outcome, at: moment) { announcing + Self.tell($0, toGoOnWith: credential, insteadOf: failure) }
    }

    private static func tell(
        _ flight: Flight, toGoOnWith credential: Credential, insteadOf failure: RefreshFailure
    ) -> [Action] {
        let content = flight.waiters.filter { !$0.value.isForced && $0.value.replacing != credential.generation }
        let others = Set(flight.waiters.keys).subtracting(content.keys).sorted()
        return (content.isEmpty ? [] : [.release(content.keys.sorted(), credential)])
            + (others.isEmpty ? [] : [.fail(others, failure)])
    }

    private mutating func finish(
        _ outcome: RefreshEvent.Outcome?, at moment: Moment, _ telling: (Flight) -> [Action]
    ) -> [Action] {
        guard var flight else { return [] }
        self.flight = nil
        var actions: [Action] = [.close(flight: flight.id)]
        if let outcome, flight.isRefresh, flight.cause != nil {
            actions.append(.report(event(of: flight, outcome, at: moment)))
        }
        if !writes.isEmpty {
            // Who waits for a credential waits for the last word; but who came before a logout, for no other session's.
            let write = writes.removeFirst()
            let waiters = flight.isLoggedOut ? flight.waiters.filter { $0.key > flight.asked } : flight.waiters
            for waiter in waiters.keys { flight.waiters[waiter] = nil }
            return actions + telling(flight) + begin(write, waiters: waiters, at: moment)
        }
        actions += telling(flight)
        guard !forced.isEmpty else { return actions }
        let waiters = Dictionary(uniqueKeysWithValues: forced.map { ($0, Want(isForced: true)) })
        forced = []
        return actions + beginRefresh(for: waiters, at: moment)
    }

    func event(of flight: Flight, _ outcome: RefreshEvent.Outcome, at moment: Moment) -> RefreshEvent {
        RefreshEvent(
            cause: flight.cause ?? .missing, outcome: outcome, generation: flight.generation,
            waiters: flight.waiters.count, duration: flight.began.duration(to: moment.monotonic))
    }
}
