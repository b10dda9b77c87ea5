import FreshetCore
import FreshetHTTP

// The inputs of the state machine, its actions, and its records of both.
extension RefreshStateMachine {
    enum Input: Sendable {
        /// `waiter` needs a credential. If its request has failed with the generation `replacing`, it needs a different one.
        case requested(waiter: Int, replacing: Int?)
        /// `waiter` needs a credential that the server is asked for after this input.
        case forced(waiter: Int)
        /// `waiter` has cancelled.
        case left(waiter: Int)
        case login(waiter: Int, Credential, replacing: Replacement = .always)
        case logout(waiter: Int)
        /// The record that was read while requests wait for a login.
        case noticed(StoredCredential)
        /// The record that was read without the lock; `nil` if the store cannot be read.
        case peeked(Int, StoredCredential?)
        /// The operation's transaction has reached the front of the queue.
        case began(Int)
        case opened(Int, Opening)
        case responded(Int, RefreshResponse)
        case persisted(Int, (any Error)?)
        /// A refreshed credential that could not be written is to be written now.
        case settling
        /// The operation has exceeded its deadline.
        case overdue(Int)
        case revoked(Int, RevocationEvent.Outcome, (any Error)? = nil)
    }

    /// Whether a login replaces the credential that it finds in the store.
    enum Replacement: Sendable {
        case always
        /// The gate then asks the server to revoke the credential that was replaced.
        case andRevoke
        /// A credential that can be used or refreshed stays, and the login stores nothing.
        case unlessWorking
    }

    /// The result of locking and reading the store.
    enum Opening: Sendable {
        case found(StoredCredential)
        case unreadable(any Error)
        case unlockable(any Error)
    }

    /// The result of asking the server for a new credential.
    enum RefreshResponse: Sendable {
        /// If `unusable` is set, it says why the access token must not be used. The refresh token can be.
        case credential(Credential, unusable: (any Error)? = nil)
        case refused(any Error)
        case failed(any Error, retryAfter: Duration? = nil)

        func onTheClock(of now: Timestamp) -> RefreshResponse {
            guard case .credential(let credential, let unusable) = self else { return self }
            return .credential(credential.onTheClock(of: now), unusable: unusable)
        }
    }

    /// An action for the gate. The number identifies the operation.
    enum Action: Sendable {
        /// Start the operation's deadline, and read the store without its lock.
        case peek(Int)
        /// Read the store without its lock after a short pause, unless the operation has locked it by then.
        case peekLater(Int)
        /// Append the operation's transaction to the queue.
        case begin(Int)
        /// Start the operation's deadline if it has none, lock the store unless it is locked, and read it.
        case open(Int)
        /// Transfer the transaction of one operation to another, with the lock or its place in the queue.
        case replace(Int, by: Int)
        case refresh(Int, Credential?)
        /// Restart the operation's deadline, and write the record. The time before the write, such as the wait for the lock, does
        /// not count for the write.
        case persist(Int, StoredCredential)
        /// Restart the operation's deadline.
        case extend(Int)
        /// Cancel the steps of the operation, but keep its transaction.
        case drop(Int)
        /// Cancel the steps of the operation, release the lock, and end its transaction.
        case close(Int)
        /// Ask the server to revoke a credential, and report the result under that number.
        case revoke(Int, Credential)
        case release([Int], Credential?)
        case fail([Int], RefreshFailure)
        /// End all uses of the session's credential.
        case interrupt(RefreshFailure)
        /// End all uses of credentials, because another session has begun. The requests that wait for a login decide by themselves.
        case interruptUses(RefreshFailure)
        /// Resume the requests that wait for a login, because one is stored.
        case loggedIn(Credential)
        case announce(LoginRequired)
        case report(RefreshEvent)
        case reportRevocation(RevocationEvent)
    }

    enum Operation: Sendable {
        case refresh(Refresh)
        case write(Write)

        var id: Int {
            switch self {
            case .refresh(let refresh): refresh.id
            case .write(let write): write.id
            }
        }
    }

    struct Refresh: Sendable {
        enum Phase: Sendable {
            /// The store is read without its lock.
            case readingStore
            /// The transaction waits in the queue and for the lock, and then reads the store. In the meantime the store is
            /// still read without its lock.
            case opening
            case requesting(from: StoredCredential)
            /// The server has refused the refresh. The store is read again before the refusal counts.
            case confirming(StoredCredential, RefreshFailure)
            case marking(StoredCredential, RefreshFailure)
            case persisting(StoredCredential)
        }

        let id: Int
        let began: Instant
        var phase = Phase.readingStore
        var cause: RefreshEvent.Cause?
        /// The circuit breaker's permission to ask the server, until the outcome is known.
        var permit: CircuitBreaker.Permit?
        /// The generation of the credential that the refresh replaces.
        var generation = 0
        /// Whether the waiters have been told that the refresh takes too long. Its response still counts.
        var isOverdue = false
        /// Why the access token that the server has sent must not be used.
        var unusable: (any Error)?
        /// Whether the refresh has asked the server. If not, what it writes is the response to an earlier refresh.
        var hasAsked = false

        /// The refresh that has passed its deadline. Its response is waited for during one more deadline, because it may have the
        /// only refresh token that works, or one that has to be revoked. `nil` after that one.
        var afterDeadline: Refresh? {
            if isOverdue { return nil }
            var refresh = self
            refresh.isOverdue = true
            return refresh
        }

        /// Whether the refresh has neither asked the server nor written the store yet.
        var isReading: Bool {
            switch phase {
            case .readingStore, .opening: true
            case .requesting, .confirming, .marking, .persisting: false
            }
        }
    }

    /// A login or a logout.
    struct Write: Sendable {
        enum Phase: Sendable {
            case opening
            /// The record is being written. A logout, and a login that says so, then revokes `old`.
            case persisting(StoredCredential, insteadOf: Credential?)
        }

        let id: Int
        /// The credential that a login stores; `nil` for a logout.
        let credential: Credential?
        var replacement = Replacement.always
        /// The number of the caller that asked for it; a smaller number asked earlier.
        let owner: Int
        var phase = Phase.opening
        /// The refresh that was asking the server when this write arrived. It continues if this write fails.
        var replaced: Refresh?
        /// The server's response to that refresh, if it has arrived in the meantime.
        var response: RefreshResponse?
    }

    /// A refreshed credential that could not be written yet.
    struct PendingWrite: Sendable {
        let record: StoredCredential
        /// The version that the record replaces.
        let replacedVersion: Int
        /// Why the last attempt has failed; `nil` while the first one is under way, and when another one is wanted.
        var error: (any Error)?
    }

    /// The credential that a waiter needs.
    struct Requirement: Sendable, Hashable {
        /// The generation that the waiter cannot use.
        var replacing: Int?
        /// Whether the waiter needs a credential that the server is asked for after the waiter's arrival.
        var isForced = false
    }

    struct Revocation: Sendable {
        let cause: RevocationEvent.Cause
        let generation: Int
        let began: Instant
        /// The waiter that requested the logout.
        var owner: Int?
    }

    struct Ended: Sendable {
        /// The record at the end of the session. The version alone is not enough, because a store that was removed counts from
        /// 0 again.
        var stored: StoredCredential
        var failure: RefreshFailure
        var at: Instant

        /// Whether the store has not been written since the end of the session, except to record the refusal.
        func isEnd(of stored: StoredCredential) -> Bool {
            stored.isSameWrite(as: self.stored)
        }
    }
}

extension StoredCredential {
    /// Whether both are reads of one write of a new credential. The expiry does not count: a store that converts it from the clock
    /// of a server can read it differently each time. The mark of a refusal does not count either.
    func isSameWrite(as other: StoredCredential) -> Bool {
        version == other.version && credential?.accessToken == other.credential?.accessToken
            && credential?.refreshToken == other.credential?.refreshToken
    }
}

extension Credential {
    /// Whether the credential has a refresh token that has not expired.
    func isRefreshable(at secondsSince1970: Double) -> Bool {
        refreshToken != nil && details.refreshExpiresAt.map { $0 <= secondsSince1970 } != true
    }

    /// Returns the credential with its expiry on this machine's wall clock. If the server has sent its own time, the expiry is
    /// on the server's clock; the conversion keeps the time that is left.
    func onTheClock(of now: Timestamp) -> Credential {
        guard let issuedAt else { return self }
        var credential = self
        credential.issuedAt = nil
        credential.expiresAt = expiresAt.map { $0 - issuedAt + now.wall }
        if let end = details.refreshExpiresAt { credential.details.refreshExpiresAt = end - issuedAt + now.wall }
        return credential
    }

    /// Returns the credential completed by `stored`: with its refresh token if the response had none, and with the details that
    /// the server did not repeat. Source: RFC 6749 section 6.
    func keeping(_ stored: StoredCredential) -> Credential {
        guard let earlier = stored.credential else { return self }
        var credential = self
        if credential.refreshToken == nil { credential.refreshToken = earlier.refreshToken }
        credential.details = details.completed(by: earlier.details)
        return credential
    }
}
