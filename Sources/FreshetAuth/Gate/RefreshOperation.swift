import FreshetCore

// What the machine is told, what it asks for, and what it remembers of it.
extension RefreshStateMachine {
    enum Input: Sendable {
        /// `waiter` wants a credential; another one than `replacing`, with which its request has failed.
        case requested(waiter: Int, replacing: Int?)
        /// `waiter` wants one that is asked for from now on.
        case forced(waiter: Int)
        /// `waiter` does not want it any more.
        case left(waiter: Int)
        case login(waiter: Int, Credential, revokesReplaced: Bool = false)
        case logout(waiter: Int)
        /// The store as it was read without the lock; `nil` if it can't be read.
        case peeked(Int, StoredCredential?)
        /// The turn of the operation's transaction has come.
        case began(Int)
        case opened(Int, Opening)
        case answered(Int, Answer)
        case persisted(Int, (any Error)?)
        /// The operation's deadline has passed.
        case overdue(Int)
        case revoked(Int, RevocationEvent.Outcome)
    }

    /// How locking and reading the store went.
    enum Opening: Sendable {
        case found(StoredCredential)
        case unreadable(any Error)
        case unlockable(any Error)
    }

    /// What came of asking for a new credential.
    enum Answer: Sendable {
        case credential(Credential)
        case refused(any Error)
        case failed(any Error, retryAfter: Duration? = nil)

        func onTheClock(of moment: Moment) -> Answer {
            if case .credential(let credential) = self { .credential(credential.onTheClock(of: moment)) } else { self }
        }
    }

    /// A number is that of the operation.
    enum Action: Sendable {
        /// Start its deadline, and read the store without its lock.
        case peek(Int)
        /// Read the store without its lock in a little while, unless it is locked by then.
        case peekLater(Int)
        /// Put its transaction into the line.
        case begin(Int)
        /// Start its deadline if it has none, lock the store unless it is locked, and read it.
        case open(Int)
        /// The transaction of one is another's from now on, with the lock or the waiting for it.
        case replace(Int, by: Int)
        case refresh(Int, Credential?)
        case persist(Int, StoredCredential)
        /// Start its deadline once more.
        case extend(Int)
        /// End what it still does, but not its transaction.
        case drop(Int)
        /// End what it still does, give the lock back, and end its transaction.
        case close(Int)
        /// Ask the server to forget a credential; tell of it by that number.
        case revoke(Int, Credential)
        case release([Int], Credential?)
        case fail([Int], RefreshFailure)
        /// The session is over for all that is under way with its credential.
        case interrupt(RefreshFailure)
        /// A login is stored: those who wait for one go on.
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
            /// The store is looked at without its lock.
            case looking
            /// The transaction waits for its turn and the lock, and reads the store. Meanwhile the store is still looked at.
            case opening
            case asking(from: StoredCredential)
            /// Refused; before that counts, the store is read again.
            case confirming(StoredCredential, RefreshFailure)
            case marking(StoredCredential, RefreshFailure)
            case persisting(StoredCredential)
        }

        let id: Int
        let began: Instant
        var phase = Phase.looking
        var cause: RefreshEvent.Cause?
        /// Of the credential that is to be replaced.
        var generation = 0
        /// Whether those who waited have been told that it takes too long; its answer still counts.
        var isOverdue = false

        /// Whether nothing has been asked for or written yet.
        var isLooking: Bool {
            switch phase {
            case .looking, .opening: true
            case .asking, .confirming, .marking, .persisting: false
            }
        }
    }

    /// A login or a logout.
    struct Write: Sendable {
        enum Phase: Sendable {
            case opening
            /// A logout, and a login that asks for it, does away with `old`.
            case persisting(StoredCredential, insteadOf: Credential?)
        }

        let id: Int
        /// What a login stores; `nil` for a logout.
        let credential: Credential?
        /// Whether the server is asked to forget what a login replaces.
        var revokesReplaced = false
        /// The number of the caller that asked for it; a smaller number asked earlier.
        let owner: Int
        var phase = Phase.opening
        /// The refresh that was asking when this came. It goes on if this can't be written.
        var replaced: Refresh?
        /// What the token server has answered to it in the meantime.
        var response: Answer?
    }

    /// What somebody waits for.
    struct Want: Sendable, Hashable {
        /// The generation that failed it.
        var replacing: Int?
        /// Whether only a credential will do that is asked for from now on.
        var isForced = false
    }

    struct Revocation: Sendable {
        let cause: RevocationEvent.Cause
        let generation: Int
        let began: Instant
        /// Who asked for the logout.
        var owner: Int?
    }

    struct Ended: Sendable {
        /// What was stored at the end. Not the version alone: in a store that was removed the count begins anew.
        var stored: StoredCredential
        var failure: RefreshFailure
        var at: Instant

        /// Whether nothing has been written since, but the mark of the refusal.
        func isEnd(of stored: StoredCredential) -> Bool {
            stored.version == self.stored.version && stored.credential == self.stored.credential
        }
    }
}

extension Credential {
    /// The same with its end on this machine's wall clock. Where a server has told its own time, an end is on its clock: what
    /// counts is how far apart the two are, whatever this machine takes for the time.
    func onTheClock(of moment: Moment) -> Credential {
        guard let issuedAt else { return self }
        var credential = self
        credential.issuedAt = nil
        credential.expiresAt = expiresAt.map { $0 - issuedAt + moment.wall }
        if let end = details.refreshExpiresAt { credential.details.refreshExpiresAt = end - issuedAt + moment.wall }
        return credential
    }

    /// The same with the refresh token that was used for it, if it brought none, and with all else that the server did not
    /// repeat. Source: RFC 6749 section 6.
    func keeping(_ stored: StoredCredential) -> Credential {
        guard let earlier = stored.credential else { return self }
        var credential = self
        if credential.refreshToken == nil { credential.refreshToken = earlier.refreshToken }
        credential.details = details.completed(by: earlier.details)
        return credential
    }
}
