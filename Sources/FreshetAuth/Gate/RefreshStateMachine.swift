import FreshetCore

/// Who waits, who refreshes, who is told what: all of it, as a value without a loop, a lock or a clock.
///
/// What the outside does arrives as an ``Input``, and what the outside is to do leaves as ``Action``s. One operation runs at
/// a time: a refresh, a login or a logout. A refresh looks at the store, and if that does not help, it begins a transaction:
/// lock the store, read it, ask for a new credential, write it, unlock. A login and a logout are transactions from the
/// beginning. An input of an operation that has ended changes nothing.
struct RefreshStateMachine: Sendable {
    struct Limits: Sendable {
        /// At most so many refreshes…
        var refreshes = 5
        /// …in so long a time.
        var window = Duration.seconds(30)
        var windows = CredentialLifetime.Windows()
        /// After a renewal has failed while the old credential serves, none is tried for so many seconds at most.
        var longestPause = 600.0
        /// Whether requests go with the old credential while others wait for a new one.
        var usesOld = false
        var circuitBreaker = RefreshGate.Settings.Breaker()
        var longestRetryAfter = Duration.seconds(3600)
        /// For so long a failure is told to those who come late.
        var memory = Duration.seconds(30)
        /// Whether a refusal is marked in the store and lasts until a login.
        var needsLogin = true
        /// Whether there is a server to be told of a logout.
        var revokes = false
    }

    /// What is known of the credential without asking the store.
    enum Session: Sendable {
        case unread
        case active(SessionCredential)
        case over(Ended)
    }

    let limits: Limits
    var session = Session.unread
    var running: Operation?
    /// Logins and logouts whose transactions have not begun, in the order of the line that they stand in.
    var queue: [Write] = []
    /// Who waits for a credential, and whom the end of what runs is told to.
    var waiting: [Int: Want] = [:]
    /// Who wants a credential that is asked for from now on, and came when the refresh had asked for one already.
    var forced: [Int] = []
    /// Refreshes that a login or a logout has replaced: their answers are dropped when they come.
    var late: [Int: Refresh] = [:]
    var revocations: [Int: Revocation] = [:]
    /// A refreshed credential that could not be written yet, and what it replaces: it is written before another is asked for.
    var unsaved: (record: StoredCredential, base: Int)?
    var lineage = SessionHistory()
    var circuitBreaker: CircuitBreaker
    var isAnnounced = false
    var refreshTimes: [Instant] = []
    /// Of this input: a number from 0 up to 1.
    var chance = 0.5
    private var lastNumber = 0
    /// What a request can use with nothing else to do, put together after each input.
    private var usable: UsableCredential?

    init(limits: Limits = Limits()) {
        self.limits = limits
        circuitBreaker = CircuitBreaker(limits.circuitBreaker, longestRetryAfter: limits.longestRetryAfter)
    }

    /// The one transition.
    ///
    /// - Parameter chance: a random number from 0 up to 1.
    mutating func handle(_ input: Input, at moment: Moment, chance: Double = 0.5) -> [Action] {
        self.chance = chance
        defer { usable = whatIsUsable() }
        switch input {
        case .requested(let waiter, let replacing): return requested(by: waiter, replacing: replacing, at: moment)
        case .forced(let waiter): return forced(by: waiter, at: moment)
        case .left(let waiter): return left(waiter)
        case .login(let waiter, let credential, let revokesReplaced):
            return write(
                credential.onTheClock(of: moment), for: waiter, revokesReplaced: revokesReplaced, at: moment)
        case .logout(let waiter): return write(nil, for: waiter, at: moment)
        case .peeked(let id, let stored): return peeked(id, stored, at: moment)
        case .began(let id): return began(id)
        case .opened(let id, let opening): return opened(id, opening, at: moment)
        case .answered(let id, let response): return answered(id, response.onTheClock(of: moment), at: moment)
        case .persisted(let id, let error): return persisted(id, error, at: moment)
        case .overdue(let id): return overdue(id, at: moment)
        case .revoked(let id, let outcome): return revoked(id, outcome, at: moment)
        }
    }

    /// The credential that a request can use at once, with nothing else to do. `nil` if there is more to it.
    func ready(replacing: Int? = nil, at moment: Moment) -> Credential? {
        guard let usable = usable(replacing: replacing), !usable.until.isReached(at: moment) else { return nil }
        return usable.credential
    }

    /// The same, and until when that is so.
    @inline(__always)
    func usable(replacing: Int?) -> UsableCredential? {
        guard let usable, usable.credential.generation != replacing else { return nil }
        if let replacing, lineage.hasEnded(replacing) { return nil }
        return usable
    }

    private func whatIsUsable() -> UsableCredential? {
        guard case .active(let held) = session, !isWriting else { return nil }
        let life = held.life
        let isRefreshing = running != nil
        if limits.usesOld, isRefreshing { return UsableCredential(held.credential, until: life.end) }
        if held.isRejected { return nil }
        if held.isSpent { return UsableCredential(held.credential, until: life.end) }
        if let retryAt = held.retryAt {
            if isRefreshing { return UsableCredential(held.credential, until: life.end) }
            return UsableCredential(
                held.credential, until: Moment(wall: life.end.wall, monotonic: min(retryAt, life.end.monotonic)))
        }
        return UsableCredential(held.credential, until: isRefreshing ? life.due : life.ahead)
    }

    /// The credential of the session, whether it is over or not.
    var lastCredential: Credential? {
        switch session {
        case .unread: nil
        case .active(let held): held.credential
        case .over(let ended): ended.stored.credential?.with(generation: ended.stored.version)
        }
    }

    var isIdle: Bool { running == nil && queue.isEmpty }

    /// Whether something is under way that would be lost if it were left: an answer to a refresh, a write, a revocation.
    var isExchanging: Bool {
        if isWriting || !late.isEmpty || !revocations.isEmpty { return true }
        return refresh.map { !$0.isLooking } ?? false
    }

    /// Whether a login or a logout is under way.
    var isWriting: Bool {
        if case .write? = running { true } else { !queue.isEmpty }
    }

    /// The refresh, if one runs.
    var refresh: Refresh? {
        if case .refresh(let refresh)? = running { refresh } else { nil }
    }

    /// Changes the refresh that runs.
    mutating func change(_ body: (inout Refresh) -> Void) {
        guard var refresh else { return }
        body(&refresh)
        running = .refresh(refresh)
    }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

/// A credential, and until when it can be used with nothing else to do. An object, for each request is handed it.
final class UsableCredential: Sendable {
    let credential: Credential
    let until: Moment
    let isEndless: Bool

    init(_ credential: Credential, until: Moment) {
        self.credential = credential
        self.until = until
        isEndless = until == .never
    }
}
