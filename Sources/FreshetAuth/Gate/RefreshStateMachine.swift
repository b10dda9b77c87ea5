import FreshetCore

/// Who waits, who refreshes, who is told what: all of it, as a value without a loop, a lock or a clock.
///
/// What the outside does arrives as an ``Input``, and what the outside is to do leaves as ``Action``s. The work that the
/// machine asks for is a *flight*: read the store, and if that does not help, lock it and read it again, ask for a new
/// credential, write it, unlock. There is at most one; an input that belongs to an earlier one changes nothing.
struct RefreshStateMachine: Sendable {
    struct Limits: Sendable {
        /// At most so many refreshes…
        var refreshes = 5
        /// …in so long a time.
        var window = Duration.seconds(30)
        var windows = CredentialLife.Windows()
        /// After a renewal has failed while the old credential serves, none is tried for so many seconds at most.
        var longestPause = 600.0
        /// Whether requests go with the old credential while others wait for a new one.
        var usesOld = false
        var breaker = RefreshGate.Settings.Breaker()
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
        case active(Held)
        case over(Ended)
    }

    let limits: Limits
    var session = Session.unread
    var flight: Flight?
    /// Logins and logouts that wait for the flight that runs.
    var writes: [Write] = []
    /// Who wants a new credential whatever the old one is, and came when the flight had asked for one already.
    var forced: [Int] = []
    /// The refresh that was under way when a login or a logout came. It is dropped when that is written, and goes on if it
    /// can't be.
    var fenced: Fenced?
    /// Refreshes whose answers are dropped when they come.
    var late: [Int: Flight] = [:]
    var revocations: [Int: Revocation] = [:]
    /// A refreshed credential that could not be written yet, and what it replaces: it is written before another is asked for.
    var unsaved: (record: StoredCredential, base: Int)?
    var lineage = SessionLineage()
    var breaker: RefreshBreaker
    var isAnnounced = false
    var refreshTimes: [Instant] = []
    /// Of this input: a number from 0 up to 1.
    var chance = 0.5
    private var lastNumber = 0
    /// What ``ready(replacing:at:)`` needs to know, put together after each input.
    private var serving: Serving?

    /// A credential, and until when it can be used with nothing else to do. An object, for each request is handed it.
    final class Serving: Sendable {
        let credential: Credential
        let until: Moment
        let isEndless: Bool

        init(_ credential: Credential, until: Moment) {
            self.credential = credential
            self.until = until
            isEndless = until == .never
        }
    }

    init(limits: Limits = Limits()) {
        self.limits = limits
        breaker = RefreshBreaker(limits.breaker, longestRetryAfter: limits.longestRetryAfter)
    }

    /// - Parameter chance: a random number from 0 up to 1.
    mutating func handle(_ input: Input, at moment: Moment, chance: Double = 0.5) -> [Action] {
        self.chance = chance
        defer { serving = whatServes() }
        switch input {
        case .requested(let waiter, let replacing): return requested(by: waiter, replacing: replacing, at: moment)
        case .forced(let waiter): return forced(by: waiter, at: moment)
        case .peeked(let id, let stored): return peeked(id, stored, at: moment)
        case .opened(let id, let opening): return opened(id, opening, at: moment)
        case .answered(let id, let answer): return answered(id, answer, at: moment)
        case .persisted(let id, let error): return persisted(id, error, at: moment)
        case .overdue(let id): return overdue(id, at: moment)
        case .login(let waiter, let credential):
            return write(.login(credential.onTheClock(of: moment)), for: waiter, at: moment)
        case .logout(let waiter): return write(.logout, for: waiter, at: moment)
        case .revoked(let id, let outcome): return revoked(id, outcome, at: moment)
        }
    }

    /// The credential that a request can use at once, with nothing else to do. `nil` if there is more to it.
    func ready(replacing: Int? = nil, at moment: Moment) -> Credential? {
        guard let serving = serving(replacing: replacing), !serving.until.isReached(at: moment) else { return nil }
        return serving.credential
    }

    /// The same, and until when that is so.
    @inline(__always)
    func serving(replacing: Int?) -> Serving? {
        guard let serving, serving.credential.generation != replacing else { return nil }
        if let replacing, lineage.hasEnded(replacing) { return nil }
        return serving
    }

    private func whatServes() -> Serving? {
        guard case .active(let held) = session, !isWriting else { return nil }
        let life = held.life
        let isInFlight = flight != nil
        if limits.usesOld, isInFlight { return Serving(held.credential, until: life.end) }
        if held.isRejected { return nil }
        if held.isSpent { return Serving(held.credential, until: life.end) }
        if let retryAt = held.retryAt {
            if isInFlight { return Serving(held.credential, until: life.end) }
            return Serving(
                held.credential, until: Moment(wall: life.end.wall, monotonic: min(retryAt, life.end.monotonic)))
        }
        return Serving(held.credential, until: isInFlight ? life.due : life.ahead)
    }

    /// Whether something is under way that would be lost if it were left: an answer to a refresh, a write, a revocation.
    var isExchanging: Bool {
        if fenced != nil || !late.isEmpty || !revocations.isEmpty { return true }
        guard let flight else { return false }
        if case .opening = flight.phase { return isWriting } else { return true }
    }

    /// Whether a login or a logout is under way.
    var isWriting: Bool { flight.map { !$0.isRefresh } ?? false || !writes.isEmpty }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
