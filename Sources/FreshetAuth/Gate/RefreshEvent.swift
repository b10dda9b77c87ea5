/// One refresh of a credential, told when it is over. Never a secret.
public struct RefreshEvent: Sendable, Hashable {
    /// Why a new credential was wanted.
    public enum Cause: String, Sendable, Hashable {
        /// A response said that the old one has ended.
        case rejected
        /// By the clock it has ended, or will very soon.
        case expiring
        /// It will end before long; it served on, and nobody waited.
        case ahead
        /// Somebody asked for a new one whatever the old one was.
        case forced
        /// There was none.
        case missing
    }

    /// How it ended.
    public enum Outcome: String, Sendable, Hashable {
        case refreshed
        /// Another gate or program had refreshed already; its result was taken over, and the server was not asked.
        case adopted
        /// The tokens are kept, and the next request tries again.
        case failed
        /// The session is over.
        case refused
        /// Too many refreshes in a short time; the server was not asked.
        case storm
        /// The store could not be read or written.
        case store
        /// A login or a logout came in between, and the late answer was dropped, and revoked if it was a credential.
        case discarded
    }

    /// Why it was wanted, by the first who did.
    public var cause: Cause
    /// How it ended.
    public var outcome: Outcome
    /// The generation of the credential that was to be replaced; 0 if there was none.
    public var generation: Int
    /// How many waited for it at its end.
    public var waiters: Int
    /// From the first who wanted it to its end.
    public var duration: Duration
}

/// One credential that the server was asked to forget, told when that is over. Never a secret.
public struct RevocationEvent: Sendable, Hashable {
    /// Why it is not to work any more.
    public enum Cause: String, Sendable, Hashable {
        /// It was stored when somebody logged out.
        case logout
        /// A login has replaced it.
        case replaced
        /// It came too late: a login or a logout had come in between.
        case discarded
    }

    /// What came of it.
    public enum Outcome: String, Sendable, Hashable {
        /// The server has forgotten it.
        case revoked
        /// It is forgotten here; at the server it may live on until its end.
        case failed
        /// The same, for ``RefreshGate/Settings/revocationDeadline`` had passed.
        case timedOut
    }

    /// Why it is not to work any more.
    public var cause: Cause
    /// What came of it.
    public var outcome: Outcome
    /// The generation of the credential.
    public var generation: Int
    /// From the request to its end.
    public var duration: Duration
}

/// Why somebody has to log in.
public enum LoginRequired: String, Sendable, Hashable {
    /// Nothing is stored.
    case noCredential
    /// The refresh was refused, now or before.
    case refused
    /// Somebody has logged out.
    case loggedOut
}
