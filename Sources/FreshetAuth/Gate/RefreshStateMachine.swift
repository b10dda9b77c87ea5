import FreshetCore

/// A point in time on both clocks: expiry goes by the wall's, intervals by the monotonic one.
struct Moment: Sendable, Hashable {
    var wall: Double
    var monotonic: Instant
}

/// Who waits, who refreshes, who is told what: all of it, as a value without a loop, a lock or a clock.
///
/// What the outside does arrives as an ``Input``, and what the outside is to do leaves as ``Action``s. The work that the
/// machine asks for is a *flight*: read the store, and if that does not help, lock it and read it again, ask for a new
/// credential, write it, unlock. There is at most one; an input that belongs to an earlier one changes nothing.
struct RefreshStateMachine: Sendable {
    struct Limits: Sendable, Hashable {
        /// At most so many refreshes…
        var refreshes = 5
        /// …in so long a time.
        var window = Duration.seconds(30)
        /// A credential is renewed so many seconds before its end, or a tenth of its life if that is less.
        var mandatoryWindow = 60.0
        /// After a renewal ahead of time has failed, the old credential serves so long before the next try.
        var pause = Duration.seconds(10)
        /// Whether a refusal is marked in the store and lasts until a login.
        var needsLogin = true
    }

    enum Input: Sendable {
        /// `waiter` wants a credential; another one than `replacing`, with which its request has failed.
        case requested(waiter: Int, replacing: Int?)
        /// The store as it was read without the lock; `nil` if it can't be read.
        case peeked(flight: Int, StoredCredential?)
        case opened(flight: Int, Opening)
        case answered(flight: Int, Answer)
        case persisted(flight: Int, (any Error)?)
        /// The flight's deadline has passed.
        case overdue(flight: Int)
        case login(waiter: Int, Credential)
        case logout(waiter: Int)
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
        case failed(any Error)
    }

    enum Action: Sendable {
        /// Start the flight's deadline, and read the store without its lock.
        case peek(flight: Int)
        /// Lock the store and read it, unless that is under way; until it is locked, peek now and then. Start the flight's
        /// deadline, if it has not begun.
        case open(flight: Int)
        case refresh(flight: Int, Credential?)
        case persist(flight: Int, StoredCredential)
        /// Give the lock back, but let the refresh run on.
        case detach(flight: Int)
        /// Give the lock back and end whatever still runs.
        case close(flight: Int)
        case release([Int], Credential?)
        case fail([Int], RefreshFailure)
        case announce(LoginRequired)
        case report(RefreshEvent)
    }

    /// What is known of the credential without asking the store.
    enum Session: Sendable {
        case unread
        case active(Held)
        case over(Ended)
    }

    struct Held: Sendable {
        var credential: Credential
        /// From when on it is renewed before it is used.
        var refreshAt: Double?
        /// Whether a response said that it has ended.
        var isRejected = false
        /// What came of the last refresh; who comes late with a failure of this credential is given the same.
        var failure: RefreshFailure?
        /// Until when no other renewal ahead of time is tried.
        var pausedUntil: Instant?
    }

    struct Ended: Sendable {
        /// What was stored at the end. Not the version alone: in a store that was removed the count begins anew.
        var stored: StoredCredential
        var failure: RefreshFailure

        /// Whether nothing has been written since, but the mark of the refusal.
        func isEnd(of stored: StoredCredential) -> Bool {
            stored.version == self.stored.version && stored.credential == self.stored.credential
        }
    }

    enum Job: Sendable {
        case refresh
        case login(Credential)
        case logout
    }

    enum Phase: Sendable {
        case opening
        case refreshing(from: StoredCredential)
        case persisting(StoredCredential)
        case marking(StoredCredential, RefreshFailure)
    }

    struct Flight: Sendable {
        let id: Int
        let job: Job
        let began: Instant
        var phase = Phase.opening
        /// Who waits, and the generation that failed each.
        var waiters: [Int: Int?]
        /// Who asked for the login or the logout.
        var owner: Int?
        var cause: RefreshEvent.Cause?
        var generation = 0
    }

    struct Write: Sendable {
        let job: Job
        var owner: Int?
    }

    let limits: Limits
    var session = Session.unread
    var flight: Flight?
    /// Logins and logouts that wait for the one that runs.
    var writes: [Write] = []
    /// Refreshes whose answers are dropped when they come.
    var fenced: [Int: Flight] = [:]
    /// A refreshed credential that could not be written yet, and what it replaces: it is written before another is asked for.
    var unsaved: (record: StoredCredential, base: Int)?
    /// What came of the last refresh, if that failed for now.
    var trouble: RefreshFailure?
    var isAnnounced = false
    private var flights = 0
    private var refreshTimes: [Instant] = []

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    mutating func handle(_ input: Input, at moment: Moment) -> [Action] {
        switch input {
        case .requested(let waiter, let replacing): requested(by: waiter, replacing: replacing, at: moment)
        case .peeked(let id, let stored): peeked(id, stored, at: moment)
        case .opened(let id, let opening): opened(id, opening, at: moment)
        case .answered(let id, let answer): answered(id, answer, at: moment)
        case .persisted(let id, let error): persisted(id, error, at: moment)
        case .overdue(let id): overdue(id, at: moment)
        case .login(let waiter, let credential): write(.login(credential), for: waiter, at: moment)
        case .logout(let waiter): write(.logout, for: waiter, at: moment)
        }
    }

    /// The credential that a request can use at once.
    func ready(replacing: Int? = nil, at moment: Moment) -> Credential? {
        guard case .active(let held) = session, held.credential.generation != replacing, !held.isRejected, !isWriting
        else { return nil }
        if let refreshAt = held.refreshAt, refreshAt <= moment.wall {
            guard let pausedUntil = held.pausedUntil, moment.monotonic < pausedUntil,
                !held.credential.isExpired(at: moment.wall)
            else { return nil }
        }
        return held.credential
    }

    /// Whether something is under way that would be lost if it were left: an answer to a refresh, or a write.
    var isExchanging: Bool {
        guard let flight else { return false }
        if case .opening = flight.phase { return isWriting } else { return true }
    }

    private var isWriting: Bool {
        guard let flight else { return false }
        if case .refresh = flight.job { return false } else { return true }
    }

    private mutating func requested(by waiter: Int, replacing: Int?, at moment: Moment) -> [Action] {
        if let credential = ready(replacing: replacing, at: moment) { return [.release([waiter], credential)] }
        if flight == nil, let replacing, let failure = failure(of: replacing) { return [.fail([waiter], failure)] }
        if case .active(var held) = session, held.credential.generation == replacing {
            held.isRejected = true
            session = .active(held)
        }
        guard flight == nil else {
            flight?.waiters.updateValue(replacing, forKey: waiter)
            return []
        }
        return begin(.refresh, waiters: [waiter: replacing], at: moment)
    }

    /// What came of refreshing `generation`, if that has been tried and nothing has replaced it since.
    private func failure(of generation: Int) -> RefreshFailure? {
        switch session {
        case .active(let held) where held.credential.generation == generation: held.failure
        case .over(let ended) where ended.stored.version == generation: ended.failure
        default: nil
        }
    }

    /// `waiter` does not want it any more. The flight runs on, also when nobody waits.
    mutating func left(_ waiter: Int) {
        flight?.waiters.removeValue(forKey: waiter)
        if flight?.owner == waiter { flight?.owner = nil }
        for index in writes.indices where writes[index].owner == waiter { writes[index].owner = nil }
    }

    /// A login or a logout: it comes before any refresh, whose answer is fenced off.
    private mutating func write(_ job: Job, for owner: Int, at moment: Moment) -> [Action] {
        if isWriting {
            writes.append(Write(job: job, owner: owner))
            return []
        }
        unsaved = nil
        trouble = nil
        guard let flight else { return begin(job, waiters: [:], owner: owner, at: moment) }
        let next = begin(job, waiters: flight.waiters, owner: owner, at: moment)
        switch flight.phase {
        case .opening:
            return [.close(flight: flight.id)] + next
        case .refreshing:
            fenced[flight.id] = flight
            return [.detach(flight: flight.id)] + next
        case .persisting, .marking:
            // It has the lock until it is done, and `next` comes after it.
            fenced[flight.id] = flight
            return next
        }
    }

    mutating func begin(
        _ job: Job, waiters: [Int: Int?], owner: Int? = nil, at moment: Moment
    ) -> [Action] {
        flights += 1
        flight = Flight(id: flights, job: job, began: moment.monotonic, waiters: waiters, owner: owner)
        if case .refresh = job { return [.peek(flight: flights)] }
        return [.open(flight: flights)]
    }

    /// Notes a refresh, unless there have been too many of late.
    mutating func admitRefresh(at moment: Moment) -> Bool {
        refreshTimes.removeAll { $0.duration(to: moment.monotonic) >= limits.window }
        guard refreshTimes.count < limits.refreshes else { return false }
        refreshTimes.append(moment.monotonic)
        return true
    }
}
