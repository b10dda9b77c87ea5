import FreshetCore

extension RefreshStateMachine {
    enum Input: Sendable {
        /// `waiter` wants a credential; another one than `replacing`, with which its request has failed.
        case requested(waiter: Int, replacing: Int?)
        /// `waiter` wants one that is asked for from now on.
        case forced(waiter: Int)
        /// The store as it was read without the lock; `nil` if it can't be read.
        case peeked(flight: Int, StoredCredential?)
        case opened(flight: Int, Opening)
        case answered(flight: Int, Answer)
        case persisted(flight: Int, (any Error)?)
        /// The flight's deadline has passed.
        case overdue(flight: Int)
        case login(waiter: Int, Credential)
        case logout(waiter: Int)
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
    }

    enum Action: Sendable {
        /// Start the flight's deadline, and read the store without its lock.
        case peek(flight: Int)
        /// Lock the store and read it, unless that is under way; until it is locked, peek now and then. Start the flight's
        /// deadline, if it has not begun.
        case open(flight: Int)
        /// Start the flight's deadline, give it the lock of the other, and read the store.
        case inherit(flight: Int, from: Int)
        /// Give the lock of a flight back to the one it was inherited from.
        case bequeath(flight: Int, to: Int)
        /// Read the store again, under the lock.
        case reread(flight: Int)
        case refresh(flight: Int, Credential?)
        case persist(flight: Int, StoredCredential)
        /// Start the flight's deadline once more.
        case extend(flight: Int)
        /// Give the lock back and end whatever still runs.
        case close(flight: Int)
        /// Ask the server to forget a credential; tell of it by that number.
        case revoke(Int, Credential)
        case release([Int], Credential?)
        case fail([Int], RefreshFailure)
        /// The session is over for all that is under way with its credential.
        case interrupt(RefreshFailure)
        case announce(LoginRequired)
        case report(RefreshEvent)
        case reportRevocation(RevocationEvent)
    }

    enum Job: Sendable {
        case refresh
        case login(Credential)
        case logout
    }

    enum Phase: Sendable {
        case opening
        case refreshing(from: StoredCredential)
        /// Refused; before that counts, the store is read again.
        case confirming(StoredCredential, RefreshFailure)
        case persisting(StoredCredential)
        case marking(StoredCredential, RefreshFailure)
    }

    /// What somebody waits for.
    struct Want: Sendable, Hashable {
        /// The generation that failed it.
        var replacing: Int?
        /// Whether only a credential will do that is asked for from now on.
        var isForced = false
    }

    struct Flight: Sendable {
        let id: Int
        let job: Job
        let began: Instant
        var phase = Phase.opening
        var waiters: [Int: Want]
        /// Who asked for the login or the logout.
        var owner: Int?
        var cause: RefreshEvent.Cause?
        var generation = 0
        /// Who asked, whether or not that is still wanted: who has a smaller number came before.
        var asked = 0
        /// What the login or the logout does away with.
        var replaced: Credential?
        /// Whether those who waited have been told that it takes too long; its answer still counts.
        var isOverdue = false
        /// Whether it is a logout that is written: who came before it fails, whatever comes next.
        var isLoggedOut = false

        var isRefresh: Bool { if case .refresh = job { true } else { false } }
        var isForced: Bool { waiters.values.contains(where: \.isForced) }

        func isWantedInstead(of generation: Int) -> Bool {
            waiters.values.contains { $0.replacing == generation }
        }
    }

    struct Write: Sendable {
        let job: Job
        let asked: Int
        var owner: Int?
    }

    struct Fenced: Sendable {
        var flight: Flight
        /// What came of it in the meantime.
        var answer: Answer?
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
        return credential
    }
}
