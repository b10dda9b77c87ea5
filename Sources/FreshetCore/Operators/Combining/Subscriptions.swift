import Synchronization

/// The subscriptions of a combining operator. They are disposed of together and paused together. Inserting and removing
/// takes constant time. A subscription that is inserted after `dispose` is disposed of at once, and one that is
/// inserted after `pause` is paused.
final class Subscriptions: Pausable {
    private struct Member {
        let number: Int
        let subscription: any Disposable
        /// Looked up at the first pause, because the lookup is slow and most members are never paused.
        lazy var pausable = subscription as? any Pausable

        init(_ number: Int, _ subscription: any Disposable) {
            self.number = number
            self.subscription = subscription
        }
    }

    private struct State {
        var members: [Member?] = []
        var vacant: [Int] = []
        var arrivals = 0
        /// Whether a member may have the index of an earlier one.
        var hasReused = false
        var isPaused = false
        /// The number of the member that was resumed first at the last resume.
        var lastFirst = -1

        /// Returns the number of the new member.
        mutating func insert(_ subscription: any Disposable) -> Int {
            let reused = vacant.popLast()
            if reused != nil { hasReused = true }
            let index = reused ?? members.count
            arrivals = (arrivals + 1) & 0x7fff_ffff
            let number = arrivals << 32 | index
            if index == members.count { members.append(nil) }
            members[index] = Member(number, subscription)
            return number
        }

        /// The members that can be paused, in the order of their insertion. A reused index does not keep that order.
        mutating func pausable() -> [(number: Int, source: any Pausable)] {
            var found: [(number: Int, source: any Pausable)] = []
            for index in members.indices {
                if let number = members[index]?.number, let source = members[index]?.pausable {
                    found.append((number, source))
                }
            }
            if hasReused { found.sort { $0.number < $1.number } }
            return found
        }

        /// The members to resume. Each time another one is the first.
        mutating func resumable() -> [any Pausable] {
            let found = pausable()
            let start = found.firstIndex { $0.number > lastFirst } ?? 0
            if start < found.count { lastFirst = found[start].number }
            return (found[start...] + found[..<start]).map(\.source)
        }
    }

    private let state = Locked(State())
    private let disposed = Atomic<Bool>(false)

    init() {
        Resources.increment()
    }

    deinit { Resources.decrement() }

    var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    /// Inserts a member, and returns the number with which it can be removed. The low 32 bits are the index of the
    /// member, and the high bits count the insertions. A source that ends after another member has received its index
    /// therefore cannot remove that member.
    func insert(_ subscription: any Disposable) -> Int {
        let (number, isPaused) = state.withLock { state in
            disposed.load(ordering: .relaxed) ? (-1, false) : (state.insert(subscription), state.isPaused)
        }
        if number < 0 { subscription.dispose() }
        if isPaused { pauseLate(subscription) { isHeld } }
        return number
    }

    /// Disposes of one member and removes it.
    func remove(_ number: Int) {
        let subscription: (any Disposable)? = state.withLock { state in
            let index = number & 0xffff_ffff
            guard number >= 0, !disposed.load(ordering: .relaxed), let member = state.members[index],
                member.number == number
            else { return nil }
            state.members[index] = nil
            state.vacant.append(index)
            return member.subscription
        }
        subscription?.dispose()
    }

    /// Disposes of the members, the last one first. A request that waits for the place of an earlier one then leaves its queue
    /// before the earlier one ends and frees the place.
    func dispose() {
        let (members, hasReused) = state.withLock { state in
            disposed.store(true, ordering: .releasing)
            return (exchange(&state.members, with: []), state.hasReused)
        }
        guard hasReused else {
            for member in members.reversed() { member?.subscription.dispose() }
            return
        }
        // A reused index does not keep the order.
        for member in members.compactMap({ $0 }).sorted(by: { $0.number > $1.number }) { member.subscription.dispose() }
    }

    func pause() {
        let sources = state.withLock { state in
            state.isPaused = true
            return state.pausable()
        }
        for (_, source) in sources { source.pause() }
    }

    /// Resumes the members in the order of their insertion, each time beginning with another one. An element of one member can
    /// pause all of them again, and the others then wait for the next resume, in which the next member has its turn.
    func resume() {
        let sources = state.withLock { state in
            state.isPaused = false
            return state.resumable()
        }
        for source in sources {
            if isHeld { return }
            source.pauseOrResume { isHeld }
        }
    }

    private var isHeld: Bool { state.withLock { $0.isPaused } }
}
