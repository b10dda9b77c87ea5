import FreshetCore

// The ways in which a flight ends. Whatever the way: the lock goes back first, and everybody who waited hears of it once.
extension RefreshStateMachine {
    mutating func succeed(
        with credential: Credential, _ outcome: RefreshEvent.Outcome?, at moment: Moment
    ) -> [Action] {
        if outcome == .refreshed || outcome == .adopted { trouble = nil }
        return finish(outcome, at: moment) { flight in
            let everybody = flight.waiters.keys.sorted() + [flight.owner].compactMap { $0 }
            return everybody.isEmpty ? [] : [.release(everybody, credential)]
        }
    }

    /// The tokens are kept. If the old credential still serves, a renewal ahead of time was not urgent.
    mutating func fail(with failure: RefreshFailure, at moment: Moment) -> [Action] {
        let outcome: RefreshEvent.Outcome =
            switch failure {
            case .failed: .failed
            case .refused, .denied, .loginRequired: .refused
            case .storm: .storm
            case .store: .store
            }
        if case .failed = failure { trouble = failure }
        if case .active(var held) = session, case .refresh? = flight?.job {
            if failure.leavesTheOldOne, !held.isRejected, !held.credential.isExpired(at: moment.wall) {
                held.pausedUntil = moment.monotonic.advanced(by: limits.pause)
                session = .active(held)
                return succeed(with: held.credential, outcome, at: moment)
            }
            held.failure = failure
            session = .active(held)
        }
        return finish(outcome, at: moment) { flight in
            let everybody = flight.waiters.keys.sorted() + [flight.owner].compactMap { $0 }
            return everybody.isEmpty ? [] : [.fail(everybody, failure)]
        }
    }

    /// The session is over, until a login.
    mutating func end(
        of stored: StoredCredential, _ reason: LoginRequired, with failure: RefreshFailure, at moment: Moment
    ) -> [Action] {
        session = .over(Ended(stored: stored, failure: failure))
        unsaved = nil
        let isNews = !isAnnounced
        isAnnounced = true
        return finish(.refused, at: moment) { flight in
            var actions: [Action] = isNews ? [.announce(reason)] : []
            if !flight.waiters.isEmpty { actions.append(.fail(flight.waiters.keys.sorted(), failure)) }
            if let owner = flight.owner { actions.append(.release([owner], nil)) }
            return actions
        }
    }

    private mutating func finish(
        _ outcome: RefreshEvent.Outcome?, at moment: Moment, _ telling: (Flight) -> [Action]
    ) -> [Action] {
        guard var flight else { return [] }
        self.flight = nil
        var actions: [Action] = [.close(flight: flight.id)]
        if let outcome, case .refresh = flight.job, flight.cause != nil {
            actions.append(.report(event(of: flight, outcome, at: moment)))
        }
        guard !writes.isEmpty else { return actions + telling(flight) }
        // Who waits for a credential waits for the last word.
        let write = writes.removeFirst()
        let waiters = flight.waiters
        flight.waiters = [:]
        return actions + telling(flight) + begin(write.job, waiters: waiters, owner: write.owner, at: moment)
    }

    func event(of flight: Flight, _ outcome: RefreshEvent.Outcome, at moment: Moment) -> RefreshEvent {
        RefreshEvent(
            cause: flight.cause ?? .missing, outcome: outcome, generation: flight.generation,
            waiters: flight.waiters.count, duration: flight.began.duration(to: moment.monotonic))
    }
}

extension RefreshFailure {
    /// Whether a credential that has not ended yet may go on.
    fileprivate var leavesTheOldOne: Bool {
        switch self {
        case .failed, .storm: true
        case .refused, .denied, .store, .loginRequired: false
        }
    }
}
