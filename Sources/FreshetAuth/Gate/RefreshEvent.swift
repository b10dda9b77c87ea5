public import FreshetHTTP

/// Describes one finished refresh of a credential. Its description contains no secret.
public struct RefreshEvent: Sendable {
    /// Why a new credential was needed.
    public enum Cause: String, Sendable, Hashable {
        /// A response reported that the old one had expired.
        case rejected
        /// The old one has expired by the clock, or expires very soon.
        case expiring
        /// The old one expires before long. It stayed usable, and no request waited.
        case ahead
        /// A caller asked for a new one, regardless of the old one.
        case forced
        /// The store had none, or the gate could not read the first one.
        case missing
    }

    /// How the refresh ended.
    public enum Outcome: String, Sendable, Hashable {
        case refreshed
        /// Another gate or process had already refreshed. This gate adopted its result, and did not ask the server.
        case adopted
        /// The refresh failed. The tokens are kept, and the next request tries again.
        case failed
        /// The server refused the refresh, and the session is over.
        case refused
        /// The store has no credential, and the authenticator gets none without one: a login is required.
        case noCredential
        /// Too many refreshes happened in a short time. The server was not asked.
        case storm
        /// The store could not be read or written.
        case store
        /// A login or a logout superseded the refresh. Its late response was dropped; a credential in it was revoked.
        case discarded
    }

    /// Why the refresh was needed, according to the first request that needed it.
    public var cause: Cause
    /// How the refresh ended.
    public var outcome: Outcome
    /// Why the refresh failed: the error of the requests that waited for it. `nil` if it did not fail.
    public var error: HTTPClientError?
    /// The generation of the credential that the refresh was to replace; 0 if there was none.
    public var generation: Int
    /// How many requests waited for it when it ended.
    public var waiters: Int
    /// The time from the first request that needed it to its end.
    public var duration: Duration
}

/// Describes one finished revocation of a credential. Its description contains no secret.
public struct RevocationEvent: Sendable {
    /// Why the credential was revoked.
    public enum Cause: String, Sendable, Hashable {
        /// A logout removed it from the store.
        case logout
        /// A login replaced it.
        case replaced
        /// A refresh delivered it after a login or a logout.
        case discarded
    }

    /// How the revocation ended.
    public enum Outcome: String, Sendable, Hashable {
        /// The server revoked it.
        case revoked
        /// The revocation failed. The credential is removed here, but can stay valid at the server until it expires.
        case failed
        /// The server did not respond within ``RefreshGate/Settings/revocationDeadline``. The consequence is that of
        /// ``failed``.
        case timedOut
    }

    /// Why the credential was revoked.
    public var cause: Cause
    /// How the revocation ended.
    public var outcome: Outcome
    /// Why the revocation has ``Outcome/failed``: the error of ``Authenticator/revoke(_:)``. Otherwise `nil`.
    public var error: (any Error)?
    /// The generation of the credential.
    public var generation: Int
    /// The time from the revocation request to its end.
    public var duration: Duration
}

/// Why a login is required.
public enum LoginRequired: String, Sendable, Hashable {
    /// The store has no credential, and had none before, or holds something else (``StoreError/isUnreadableRecord``).
    case noCredential
    /// The server refused this refresh or an earlier one.
    case refused
    /// The session was logged out, by this gate or elsewhere.
    case loggedOut
}

// Also within another value, each of these prints its case alone, without its module.

extension RefreshEvent.Cause: CustomDebugStringConvertible {
    public var debugDescription: String { rawValue }
}

extension RefreshEvent.Outcome: CustomDebugStringConvertible {
    public var debugDescription: String { rawValue }
}

extension RevocationEvent.Cause: CustomDebugStringConvertible {
    public var debugDescription: String { rawValue }
}

extension RevocationEvent.Outcome: CustomDebugStringConvertible {
    public var debugDescription: String { rawValue }
}

extension LoginRequired: CustomDebugStringConvertible {
    public var debugDescription: String { rawValue }
}

extension SessionState: CustomDebugStringConvertible {
    public var debugDescription: String { rawValue }
}
