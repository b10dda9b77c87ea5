import FreshetCore
import FreshetHTTP

/// The logic of the gate as a value without a loop, a lock or a clock. It decides which waiters wait, when a refresh runs, and
/// which waiters are notified.
///
/// Events arrive as ``Input``s, and the machine returns the ``Action``s that the gate has to perform. One operation runs at a
/// time: a refresh, a login or a logout. A refresh first reads the store without its lock. If that does not help, it begins a
/// transaction: lock the store, read it, ask for a new credential, write it, unlock. Logins and logouts begin with the
/// transaction. An input for an operation that has ended changes nothing.
struct RefreshStateMachine: Sendable {
    /// The credential as far as it is known without reading the store.
    enum Session: Sendable {
        case unread
        case active(SessionCredential)
        case over(Ended)
    }

    let settings: RefreshGate.Settings
    /// Whether the server supports revocation.
    let revokes: Bool
    /// The name of the store's lock, for errors.
    let lockName: String?
    var session = Session.unread { didSet { changes &+= 1 } }
    /// How often the session has changed.
    private(set) var changes = 0
    var running: Operation?
    /// Logins and logouts whose transactions have not begun, in the order of the queue.
    var queue: [Write] = []
    /// The waiters that are notified when the running operation ends.
    var waiting: [Int: Requirement] = [:]
    /// Waiters of a forced refresh that arrived after the running refresh had asked the server.
    var forced: [Int] = []
    /// Refreshes that a login or a logout has superseded. Their responses are dropped, and the credentials in them revoked.
    var late: [Int: Refresh] = [:]
    var revocations: [Int: Revocation] = [:]
    /// A refreshed credential that could not be written yet. It is written before another one is asked for.
    var pendingWrite: PendingWrite?
    /// The latest record that got another number.
    var renumbered: RenumberedRecord?
    var history = SessionHistory()
    /// Only one refresh runs at a time, so there is only one probe.
    var circuitBreaker: CircuitBreaker
    /// The last failure of the endpoint, which requests receive while the circuit breaker is open.
    var endpointFailure: RefreshFailure?
    private(set) var isAnnounced = false
    var refreshTimes: [Instant] = []
    /// The random number of the current input, from 0 up to 1.
    var random = 0.5
    /// Whether the current input has begun another session, without a logout through this gate.
    private var hasReplacedSession = false
    private var lastNumber = 0
    /// The credential that a request can use without any other action. It is updated after each input.
    private var usable: UsableCredential?

    init(settings: RefreshGate.Settings = .init(), revokes: Bool = false, lockName: String? = nil) {
        self.settings = settings
        self.revokes = revokes
        self.lockName = lockName
        circuitBreaker = CircuitBreaker(settings.circuitBreaker)
    }

    /// Handles one input. All transitions of the machine happen here.
    mutating func apply(_ input: Input, at now: Timestamp, random: Double = 0.5) -> [Action] {
        self.random = random
        defer {
            usable = computeUsable()
            hasReplacedSession = false
        }
        let actions = transition(input, at: now)
        return hasReplacedSession ? actions + [.interruptUses(.loginRequired(.loggedOut))] : actions
    }

    private mutating func transition(_ input: Input, at now: Timestamp) -> [Action] {
        switch input {
        case .requested(let waiter, let replacing): return requested(by: waiter, replacing: replacing, at: now)
        case .forced(let waiter): return forced(by: waiter, at: now)
        case .left(let waiter): return left(waiter)
        case .login(let waiter, let credential, let replacement):
            return write(credential.onTheClock(of: now), for: waiter, replacing: replacement, at: now)
        case .logout(let waiter): return write(nil, for: waiter, at: now)
        case .noticed(let stored): return noticed(numbered(stored), at: now)
        case .peeked(let id, let stored): return peeked(id, stored.map { numbered($0) }, at: now)
        case .began(let id): return began(id)
        case .opened(let id, let opening): return opened(id, numbered(opening), at: now)
        case .responded(let id, let response): return responded(id, response.onTheClock(of: now), at: now)
        case .persisted(let id, let error): return persisted(id, error, at: now)
        case .settling:
            // The result is that of another attempt.
            pendingWrite?.error = nil
            return isIdle && pendingWrite != nil ? beginRefresh(at: now) : []
        case .overdue(let id): return overdue(id, at: now)
        case .revoked(let id, let outcome, let error): return revoked(id, outcome, error, at: now)
        }
    }

    /// Returns the credential that a request can use without any other action, with the end of that time; `nil` if there is
    /// none. Does not compare the time with the clocks.
    @inline(__always)
    func usable(replacing: Int?) -> UsableCredential? {
        guard let usable, usable.credential.generation != replacing else { return nil }
        if let replacing, history.hasEnded(replacing) { return nil }
        return usable
    }

    /// Publishes the stored credential.
    mutating func adopt(_ credential: Credential, isRejected: Bool = false, at now: Timestamp) {
        if !isRejected { announceAgain() }
        if let lastCredential, credential.isOfAnotherSession(than: lastCredential) { replaceSession() }
        history.add(credential.generation)
        let life = CredentialLifetime(of: credential, from: now, settings, random: random)
        session = .active(SessionCredential(credential: credential, life: life, isRejected: isRejected))
    }

    mutating func recordAnnouncement() { isAnnounced = true }

    /// Lets the next request that needs a login announce it again, because nobody has logged in after the last announcement.
    mutating func announceAgain() { isAnnounced = false }

    /// Records that the session has ended without a logout through this gate.
    mutating func replaceSession() {
        history.end()
        hasReplacedSession = true
    }

    /// Whether requests use the old credential while others wait for the running operation.
    var usesOld: Bool { settings.whileRefreshing == .useOld && running != nil }

    private func computeUsable() -> UsableCredential? {
        guard case .active(let current) = session, !isWriting else { return nil }
        let life = current.life
        let isRefreshing = running != nil
        if usesOld { return UsableCredential(current.credential, until: life.end) }
        if current.isRejected { return nil }
        if current.isRefused { return UsableCredential(current.credential, until: life.end) }
        if let retryAt = current.retryAt {
            if isRefreshing { return UsableCredential(current.credential, until: life.end) }
            return UsableCredential(
                current.credential, until: Timestamp(wall: life.end.wall, monotonic: min(retryAt, life.end.monotonic)))
        }
        return UsableCredential(current.credential, until: isRefreshing ? life.due : life.ahead)
    }

    /// The credential of the current session or of the session that ended last.
    var lastCredential: Credential? {
        switch session {
        case .unread: nil
        case .active(let current): current.credential
        case .over(let ended): ended.stored.credential?.with(generation: ended.stored.version)
        }
    }

    var isIdle: Bool { running == nil && queue.isEmpty }

    /// Whether something is under way that would be lost if the program ended: the response to a refresh, a write, or a
    /// revocation.
    var isExchanging: Bool {
        if isWriting || !late.isEmpty || !revocations.isEmpty { return true }
        return refresh.map { !$0.isReading || pendingWrite != nil } ?? false
    }

    /// The result of the wait for the end of all exchanges; `nil` while one is under way, or before a requested write.
    var settled: Result<Void, RefreshFailure>? {
        if isExchanging { return nil }
        guard let pendingWrite else { return .success(()) }
        return pendingWrite.error.map { .failure(.store($0)) }
    }

    /// Whether a login or a logout is under way.
    var isWriting: Bool {
        if case .write? = running { true } else { !queue.isEmpty }
    }

    /// The running refresh, if there is one.
    var refresh: Refresh? {
        if case .refresh(let refresh)? = running { refresh } else { nil }
    }

    /// Changes the running refresh.
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

/// A credential, and the time until which it can be used without any other action. It is a class, so that a request gets it
/// without a copy.
final class UsableCredential: Sendable {
    let credential: Credential
    let until: Timestamp
    let isEndless: Bool

    init(_ credential: Credential, until: Timestamp) {
        self.credential = credential
        self.until = until
        isEndless = until == .never
    }
}
