import FreshetCore

extension RefreshStateMachine {
    /// The credential of a session, and the state of its refreshes.
    struct SessionCredential: Sendable {
        var credential: Credential
        var life: CredentialLifetime
        /// Whether a response reported that it has expired.
        var isRejected = false
        /// Whether its refresh was refused while the credential was still usable. The session ends when the credential expires.
        var isRefused = false
        /// When the next refresh is tried after one failed while the credential was usable.
        var retryAt: Instant?
        /// The failure of the last refresh, after the credential has become unusable. A request that fails later with this
        /// credential receives the same failure.
        var failure: (RefreshFailure, at: Instant)?

        /// Whether the credential can be used, as far as the gate knows.
        func serves(at now: Timestamp) -> Bool { !isRejected && !life.end.isReached(at: now) }
    }

    enum Need: Sendable {
        case none
        /// A refresh in the background.
        case ahead
        /// A refresh before the credential is used.
        case now
    }
}

extension RefreshStateMachine.SessionCredential {
    /// Whether and how the credential has to be refreshed.
    func need(at now: Timestamp) -> RefreshStateMachine.Need {
        guard serves(at: now) else { return .now }
        if isRefused { return .none }
        // The endpoint may hang. A request that can use the old credential must not wait for it repeatedly.
        if let retryAt { return now.monotonic < retryAt ? .none : .ahead }
        if life.due.isReached(at: now) { return .now }
        return life.ahead.isReached(at: now) ? .ahead : .none
    }

    /// Postpones the background refresh by `wait`, at most until the credential has to be refreshed before use.
    mutating func postpone(by wait: Duration, at now: Timestamp) {
        let then = now.after(wait / .seconds(1))
        if retryAt != nil {
            retryAt = then.monotonic
        } else {
            life.ahead = life.due.isReached(at: then) ? life.due : then
        }
    }

    func cause(isForced: Bool, at now: Timestamp) -> RefreshEvent.Cause {
        if isRejected { return .rejected }
        if case .now = need(at: now) { return .expiring }
        return isForced ? .forced : .ahead
    }
}
