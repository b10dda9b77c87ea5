import FreshetCore
import FreshetHTTP
import XCTest

@testable import FreshetAuth

/// A machine, and a simulated environment that records what happens: a store with a lock, a server that rotates tokens,
/// siblings that share the store, requests, and two clocks.
///
/// It checks these promises:
/// 1. *One transaction*: only the operation whose turn it is, and which holds the store's lock, refreshes or writes.
/// 2. *No lost waiter*: every waiter is notified once, or has left, or the machine knows it and an operation runs.
/// 3. *Persisted, then published, then handed out*: a waiter gets only the published credential, which has been in the store.
/// 4. *No stale publish*: after a login or a logout no waiter gets the credential from before.
/// 5. *No refresh token twice*: the machine never sends a refresh token that has had a response, or that a running refresh
///    sends.
/// 6. *Login required once*: it is announced once until there is another session.
/// 7. *Nothing left behind*: the credential of a late response is revoked. At rest no lock is held, no operation waits for its
///    turn, and no operation is awaited.
struct ExploredWorld {
    enum Step: CaseIterable {
        case request, fail, force, cancel
        case peek, begin, open, openUnreadable
        case response, respondExpired, respondUnusable, respondFailure, respondRetryAfter, refuse, persist, persistNot
        case overdue, revoked
        case login, loginIfNeeded, logout, settle
        case pass, passToAhead, sleep, setBack
        /// A sibling that respects the lock refreshes, is refused, or logs in. `rogue` is a sibling that ignores the lock and
        /// refreshes.
        case otherProcess, otherProcessRefused, otherProcessLogin, rogue
    }

    struct Call {
        enum State {
            case none, peeking, queued, opening, refreshing(Credential?), persisting(StoredCredential), revoking
        }
        var state = State.peeking
    }

    /// The life of a token in seconds: so long that the short waits of a path never add up to a time that matters.
    static let life = 1_000_000.0

    /// The largest number of waiters at a time.
    let waiterLimit: Int
    var machine: RefreshStateMachine
    var wall = 1000.0
    var monotonic = 0.0
    var store: StoredCredential
    /// The waiters that have not been notified.
    var waiting: Set<Int> = []
    /// The waiters that have left before they were notified.
    var gone: Set<Int> = []
    var calls: [Int: Call] = [:]
    /// The operations whose transactions wait for their turn, the one whose turn it is, and the one that has the store's lock.
    var line: [Int] = []
    var turn: Int?
    var holder: Int?
    /// The refresh tokens that the server has exchanged: for this machine, and for any program.
    var spentByUs: Set<String> = []
    var spent: Set<String> = []
    /// Access tokens that have been in the store since the last login or logout.
    var persisted: Set<String> = ["a1"]
    var given: Int?
    var isAnnounced = false
    /// The access tokens that the server has issued and that are neither stored nor revoked. A write of a sibling empties the
    /// set.
    var loose: Set<String> = []
    private var lastWaiter = 0
    private var lastToken = 1
    private var path: [Step] = []
    private var last: Step?

    init(waiterLimit: Int) {
        self.waiterLimit = waiterLimit
        var settings = RefreshGate.Settings()
        settings.refreshLimit = 3
        settings.circuitBreaker.consecutiveFailures = 2
        settings.circuitBreaker.pause = .seconds(40)
        settings.advisoryPause = .seconds(30)
        settings.advisoryWindow = .fixed(.seconds(300_000))
        settings.mandatoryWindow = .seconds(60_000)
        machine = RefreshStateMachine(settings: settings, revokes: true)
        store = StoredCredential(
            credential: Credential(accessToken: "a1", refreshToken: "r1", expiresAt: 1000 + Self.life), version: 1)
    }

    var now: Timestamp { Timestamp(wall: wall, monotonic: Instant(sinceStart: .seconds(monotonic))) }

    /// Performs `step`, and checks the promises.
    ///
    /// - Returns: whether the step was possible.
    mutating func perform(_ step: Step) -> Bool {
        last = step
        guard apply(step) else { return false }
        check()
        path.append(step)
        return true
    }

    /// Fails the test with `words` and the path of steps if `isKept` is false.
    func promise(_ isKept: Bool, _ words: @autoclosure () -> String) {
        if !isKept { XCTFail("\(words()): \(path) \(last.map { "\($0)" } ?? "")") }
    }

    /// Whether `step` may be possible. The check is cheaper than performing the step in a copy of the world.
    func admits(_ step: Step) -> Bool {
        switch step {
        case .request, .fail, .force, .login, .loginIfNeeded, .logout: waiting.count < waiterLimit
        case .cancel: !waiting.isEmpty
        case .peek: next { if case .peeking = $0 { true } else { false } } != nil
        case .begin: turn == nil && !line.isEmpty
        case .open, .openUnreadable: next { if case .opening = $0 { true } else { false } } != nil
        case .response, .respondExpired, .respondUnusable, .respondFailure, .respondRetryAfter, .refuse:
            next { if case .refreshing = $0 { true } else { false } } != nil
        case .persist, .persistNot: next { if case .persisting = $0 { true } else { false } } != nil
        case .overdue: next { if case .queued = $0 { false } else { true } } != nil
        case .revoked: next { if case .revoking = $0 { true } else { false } } != nil
        case .settle: machine.isIdle && machine.pendingWrite != nil
        case .pass, .passToAhead, .sleep, .setBack: true
        case .otherProcess, .otherProcessRefused, .otherProcessLogin: holder == nil
        case .rogue: true
        }
    }

    private mutating func apply(_ step: Step) -> Bool {
        switch step {
        case .request:
            guard waiting.count < waiterLimit else { return false }
            wait { .requested(waiter: $0, replacing: nil) }
        case .fail:
            guard let given, waiting.count < waiterLimit else { return false }
            wait { .requested(waiter: $0, replacing: given) }
        case .force:
            guard waiting.count < waiterLimit else { return false }
            wait { .forced(waiter: $0) }
        case .cancel:
            guard let waiter = waiting.min() else { return false }
            waiting.remove(waiter)
            gone.insert(waiter)
            send(.left(waiter: waiter))
        case .peek:
            guard let id = next(where: { if case .peeking = $0 { true } else { false } }) else { return false }
            send(.peeked(id, store))
        case .begin:
            guard turn == nil, !line.isEmpty else { return false }
            begin()
        case .open, .openUnreadable:
            guard let id = next(where: { if case .opening = $0 { true } else { false } }),
                holder == nil || holder == id
            else { return false }
            holder = id
            send(.opened(id, step == .open ? .found(store) : .unreadable(StoreError("garbage"))))
        case .response, .respondExpired, .respondUnusable, .respondFailure, .respondRetryAfter, .refuse:
            return respond(step)
        case .persist, .persistNot:
            guard let id = next(where: { if case .persisting = $0 { true } else { false } }),
                let record = calls[id]?.record
            else { return false }
            calls[id]?.state = .none
            if step == .persist { write(record) }
            send(.persisted(id, step == .persist ? nil : StoreError("full")))
        case .overdue:
            // A write that has begun may still reach the disk; here it does not. Revocations have a deadline of their own.
            guard let id = calls.filter({ $0.value.hasDeadline }).keys.max() else { return false }
            send(.overdue(id))
        case .revoked:
            guard let id = next(where: { if case .revoking = $0 { true } else { false } }) else { return false }
            send(.revoked(id, .revoked))
        case .login, .loginIfNeeded:
            guard waiting.count < waiterLimit else { return false }
            let pair = newPair()
            wait { .login(waiter: $0, pair, replacing: step == .login ? .always : .unlessWorking) }
        case .logout:
            guard waiting.count < waiterLimit else { return false }
            wait { .logout(waiter: $0) }
        case .settle: send(.settling)
        case .pass: (wall, monotonic) = (wall + 31, monotonic + 31)
        case .passToAhead: (wall, monotonic) = (wall + 800_000, monotonic + 800_000)
        case .sleep: wall += 900_000
        case .setBack: wall -= 5_000_000
        case .otherProcess, .otherProcessRefused, .otherProcessLogin, .rogue: return foreign(step)
        }
        return true
    }

    private mutating func respond(_ step: Step) -> Bool {
        guard let id = next(where: { if case .refreshing = $0 { true } else { false } }),
            case .refreshing(let credential)? = calls[id]?.state
        else { return false }
        let token = credential?.refreshToken
        let isSpent = token.map(spent.contains) ?? true
        let isLate = machine.late[id] != nil
        switch step {
        case .response, .respondExpired, .respondUnusable:
            guard !isSpent else { return false }
            token.map { _ = (spent.insert($0), spentByUs.insert($0)) }
            calls[id]?.state = .none
            let pair = newPair(isDead: step == .respondExpired)
            loose.insert(pair.accessToken)
            send(.responded(id, .credential(pair, unusable: step == .respondUnusable ? Trouble() : nil)))
            if isLate { promise(!loose.contains(pair.accessToken), "a late answer lives on") }
        case .refuse:
            calls[id]?.state = .none
            send(.responded(id, .refused(Trouble())))
        default:
            calls[id]?.state = .none
            send(.responded(id, .failed(Trouble(), retryAfter: step == .respondRetryAfter ? .seconds(30) : nil)))
        }
        return true
    }

    private mutating func foreign(_ step: Step) -> Bool {
        guard step == .rogue || holder == nil else { return false }
        let token = store.credential?.refreshToken
        switch step {
        case .otherProcessRefused:
            guard let token, spent.contains(token), !store.isRefused else { return false }
            store.isRefused = true
            loose = []
            return true
        case .otherProcessLogin: break
        default:
            guard let token, !spent.contains(token), !store.isRefused else { return false }
            spent.insert(token)
        }
        let pair = newPair()
        store = StoredCredential(credential: pair, version: store.version + 1)
        persisted.insert(pair.accessToken)
        isAnnounced = false
        loose = []
        return true
    }

    private mutating func write(_ record: StoredCredential) {
        if case .write? = machine.running {
            persisted = []
            isAnnounced = false
        }
        if !record.isRefused, let credential = record.credential {
            persisted.insert(credential.accessToken)
            loose.remove(credential.accessToken)
            isAnnounced = false
        }
        store = record
    }

    private mutating func newPair(isDead: Bool = false) -> Credential {
        lastToken += 1
        return Credential(
            accessToken: "a\(lastToken)", refreshToken: "r\(lastToken)", expiresAt: wall + (isDead ? -1 : Self.life))
    }

    private func next(where isIt: (Call.State) -> Bool) -> Int? {
        var least: Int?
        for (id, call) in calls where isIt(call.state) && id < least ?? .max { least = id }
        return least
    }

    private mutating func wait(_ input: (Int) -> RefreshStateMachine.Input) {
        lastWaiter += 1
        waiting.insert(lastWaiter)
        send(input(lastWaiter))
    }

    mutating func send(_ input: RefreshStateMachine.Input) {
        for action in machine.apply(input, at: now) { perform(action) }
    }

    /// Gives the turn to the first operation in the line.
    mutating func begin() {
        let id = line.removeFirst()
        turn = id
        send(.began(id))
    }

    mutating func report(_ waiters: [Int]) {
        // The machine also notifies a caller of a login or a logout that has left. No caller observes that notification.
        for waiter in waiters where !gone.contains(waiter) {
            let isKnown = waiting.remove(waiter) != nil
            promise(isKnown, "notified twice or after it left")
        }
    }

    mutating func announce() {
        promise(!isAnnounced, "announced twice")
        isAnnounced = true
    }
}

extension ExploredWorld.Call {
    var hasDeadline: Bool {
        switch state {
        case .revoking, .queued: false
        default: true
        }
    }

    var record: StoredCredential? { if case .persisting(let record) = state { record } else { nil } }
}
