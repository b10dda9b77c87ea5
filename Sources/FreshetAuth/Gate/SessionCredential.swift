import FreshetCore

extension RefreshStateMachine {
    /// The credential of a session, and what has been tried to renew it.
    struct SessionCredential: Sendable {
        var credential: Credential
        var life: CredentialLifetime
        /// Whether a response said that it has ended.
        var isRejected = false
        /// Whether renewing it was refused while it still serves: it does to its end, and then the session is over.
        var isSpent = false
        /// A renewal has failed while it serves: when the next is tried.
        var retryAt: Instant?
        /// What came of the last refresh, once it no longer serves; who comes late with a failure of it is given the same.
        var failure: (RefreshFailure, at: Instant)?

        /// Whether it can be used, as far as one knows.
        func serves(at moment: Moment) -> Bool { !isRejected && !life.end.isReached(at: moment) }
    }

    enum Need: Sendable {
        case none
        /// In the background.
        case ahead
        /// Before it is used.
        case now
    }
}

extension RefreshStateMachine.SessionCredential {
    /// Whether it is to be renewed.
    func need(at moment: Moment) -> RefreshStateMachine.Need {
        guard serves(at: moment) else { return .now }
        if isSpent { return .none }
        // The endpoint may hang: who can do without it is not to wait for it again and again.
        if let retryAt { return moment.monotonic < retryAt ? .none : .ahead }
        if life.due.isReached(at: moment) { return .now }
        return life.ahead.isReached(at: moment) ? .ahead : .none
    }

    /// Has it renewed in the background so much later; or before it is used, if that comes first.
    mutating func putOff(by wait: Duration, at moment: Moment) {
        let then = moment.after(wait / .seconds(1))
        if retryAt != nil {
            retryAt = then.monotonic
        } else {
            life.ahead = life.due.isReached(at: then) ? life.due : then
        }
    }

    func cause(isForced: Bool, at moment: Moment) -> RefreshEvent.Cause {
        if isRejected { return .rejected }
        if case .now = need(at: moment) { return .expiring }
        return isForced ? .forced : .ahead
    }
}
