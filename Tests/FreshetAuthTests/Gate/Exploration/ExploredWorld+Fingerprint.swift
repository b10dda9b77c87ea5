import FreshetCore

@testable import FreshetAuth
@testable import FreshetHTTP

extension ExploredWorld {
    /// A hash that is equal for worlds in which the same events can follow.
    /// It numbers names and tokens in the order in which they first appear. It counts points in time by their distance from
    /// now, and past ones only where they matter.
    var fingerprint: Int {
        var print = Fingerprint(now: now)
        print.add(machine, gone: gone)
        print.add(store)
        print.add(persisted.contains(store.credential?.accessToken ?? ""))
        print.add(given.map { print.number($0) } ?? -1)
        print.add(isAnnounced)
        print.add(print.number(waiting.count))
        for (id, call) in calls.sorted(by: { $0.key < $1.key }) {
            print.add(machine.running?.id == id ? 1 : machine.replaced?.id == id ? 2 : 3)
            print.add(holder == id)
            print.add(turn == id)
            switch call.state {
            case .none: print.add(0)
            case .peeking: print.add(1)
            case .opening: print.add(2)
            case .queued: print.add(6)
            case .refreshing(let credential):
                print.add(3)
                print.add(credential)
            case .persisting(let record):
                print.add(4)
                print.add(record)
            case .revoking: print.add(5)
            }
        }
        for token in print.tokens { print.add((spent.contains(token) ? 1 : 0) + (spentByUs.contains(token) ? 2 : 0)) }
        for token in loose.sorted() { print.add(print.knows(token)) }
        return print.value
    }
}

/// Collects the values of a fingerprint.
private struct Fingerprint {
    private let now: Timestamp
    private var hasher = Hasher()
    private var numbers: [Int: Int] = [:]
    private(set) var tokens: [String] = []

    init(now: Timestamp) { self.now = now }

    var value: Int { hasher.finalize() }

    mutating func add(_ value: Int) { hasher.combine(value) }
    mutating func add(_ value: Bool) { hasher.combine(value) }

    func knows(_ token: String) -> Bool { tokens.contains(token) }

    /// The index of `number` in the order of first appearance. The largest number of all is one greater than the next largest.
    mutating func number(_ number: Int) -> Int {
        if let known = numbers[number] { return known }
        numbers[number] = numbers.count
        return numbers.count - 1
    }

    mutating func add(_ credential: Credential?) {
        guard let credential else { return add(-1) }
        add(number(credential.generation))
        let token = credential.refreshToken ?? ""
        if let index = tokens.firstIndex(of: token) {
            add(index)
        } else {
            add(tokens.count)
            tokens.append(token)
        }
        add(credential.expiresAt.map { far($0 - now.wall) } ?? -1)
    }

    mutating func add(_ record: StoredCredential) {
        add(number(record.version))
        add(record.isRefused)
        add(record.credential)
    }

    /// The distance in steps of 10,000 seconds, so that the short waits of a path do not change the result.
    private func far(_ seconds: Double) -> Int { seconds <= 0 ? -1 : Int((seconds / 10_000).rounded()) }

    private mutating func add(_ time: Timestamp) {
        add(far(time.wall - now.wall))
        add(far(now.monotonic.duration(to: time.monotonic) / .seconds(1)))
    }

    private mutating func add(_ instant: Instant?) {
        add(instant.map { max(-1, Int((now.monotonic.duration(to: $0) / .seconds(1)).rounded(.up))) } ?? -2)
    }

    mutating func add(since instant: Instant, upTo longest: Duration) {
        add(Int(min(instant.duration(to: now.monotonic), longest) / .seconds(1)))
    }

    mutating func add(_ machine: RefreshStateMachine, gone: Set<Int>) {
        switch machine.session {
        case .unread: add(0)
        case .active(let current):
            add(1)
            add(current.credential)
            add(current.life.ahead)
            add(current.life.due)
            add(current.life.end)
            add(current.isRejected)
            add(current.isRefused)
            add(current.retryAt)
            if let failure = current.failure { add(since: failure.at, upTo: machine.settings.failureCacheDuration) }
        case .over(let ended):
            add(2)
            add(ended.stored)
            add(since: ended.at, upTo: machine.settings.failureCacheDuration)
        }
        switch machine.running {
        case nil: add(-1)
        case .refresh(let refresh)?: add(refresh)
        case .write(let write)?: add(write, gone: gone)
        }
        add(machine.queue.count)
        for write in machine.queue { add(write, gone: gone) }
        for want in machine.waiting.sorted(by: { $0.key < $1.key }).map(\.value) {
            add(want.isForced)
            add(want.replacing.map { number($0) } ?? -1)
        }
        add(machine.forced.count)
        for (_, refresh) in machine.late.sorted(by: { $0.key < $1.key }) { add(refresh) }
        for (_, revocation) in machine.revocations.sorted(by: { $0.key < $1.key }) {
            add(revocation.owner.map { gone.contains($0) } ?? true)
        }
        if let pendingWrite = machine.pendingWrite {
            add(pendingWrite.record)
            add(number(pendingWrite.replacedVersion))
            add(pendingWrite.error != nil)
        }
        add(machine.circuitBreaker)
        add(machine.isAnnounced)
        for time in machine.refreshTimes
        where time.duration(to: now.monotonic) < machine.settings.refreshWindow {
            add(since: time, upTo: machine.settings.refreshWindow)
        }
    }

    private mutating func add(_ breaker: CircuitBreaker) {
        add(breaker.record.failuresInARow)
        switch breaker.state {
        case .closed: add(0)
        case .open(let end):
            add(1)
            add(end)
        case .halfOpen(let probes, _):
            add(2)
            add(probes.count)
        }
    }

    private mutating func add(_ write: RefreshStateMachine.Write, gone: Set<Int>) {
        add(write.replacement == .unlessWorking)
        add(write.credential)
        add(gone.contains(write.owner))
        switch write.phase {
        case .opening: add(0)
        case .persisting(let record, let old):
            add(1)
            add(record)
            add(old)
        }
        guard let refresh = write.replaced else { return add(-1) }
        add(refresh)
        switch write.response {
        case nil: add(0)
        case .credential(let credential, let unusable)?:
            add(1)
            add(credential)
            add(unusable != nil)
        case .refused?: add(2)
        case .failed?: add(3)
        }
    }

    private mutating func add(_ refresh: RefreshStateMachine.Refresh) {
        add(refresh.isOverdue)
        add(refresh.hasAsked)
        add(refresh.unusable != nil)
        add(refresh.permit != nil)
        switch refresh.phase {
        case .readingStore: add(5)
        case .opening: add(0)
        case .requesting(let stored):
            add(1)
            add(stored)
        case .confirming(let stored, _):
            add(2)
            add(stored)
        case .persisting(let record):
            add(3)
            add(record)
        case .marking(let stored, _):
            add(4)
            add(stored)
        }
    }
}

extension RefreshStateMachine {
    /// The refresh that a login or a logout has replaced.
    fileprivate var replaced: Refresh? { if case .write(let write)? = running { write.replaced } else { nil } }
}
