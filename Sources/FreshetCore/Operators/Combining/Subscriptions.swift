import Synchronization

/// The subscriptions of a combining operator. They are disposed of together and paused together. Inserting and removing
/// takes constant time. A subscription that is inserted after `dispose` is disposed of at once, and one that is
/// inserted after `pause` is paused.
final class Subscriptions: Pausable, @unchecked Sendable {
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

    private let lock = Mutex()
    private let disposed = Atomic<Bool>(false)

    // Accessed only under the lock.
    private var members: [Member?] = []
    private var vacant: [Int] = []
    private var arrivals = 0
    /// Whether a member may have the index of an earlier one.
    private var hasReused = false
    private var isPaused = false

    init() {
        Resources.increment()
    }

    deinit { Resources.decrement() }

    var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    /// Inserts a member, and returns the number with which it can be removed. The low 32 bits are the index of the
    /// member, and the high bits count the insertions. A source that ends after another member has received its index
    /// therefore cannot remove that member.
    func insert(_ subscription: any Disposable) -> Int {
        lock.lock()
        if disposed.load(ordering: .relaxed) {
            lock.unlock()
            subscription.dispose()
            return -1
        }
        let reused = vacant.popLast()
        if reused != nil { hasReused = true }
        let place = reused ?? members.count
        arrivals = (arrivals + 1) & 0x7fff_ffff
        let number = arrivals << 32 | place
        if place == members.count { members.append(nil) }
        members[place] = Member(number, subscription)
        let isPaused = isPaused
        lock.unlock()
        if isPaused { pauseLate(subscription) { isHeld } }
        return number
    }

    /// Disposes of one member and removes it.
    func remove(_ number: Int) {
        let subscription: (any Disposable)? = lock.withLock {
            let place = number & 0xffff_ffff
            guard number >= 0, !disposed.load(ordering: .relaxed), let member = members[place], member.number == number
            else { return nil }
            members[place] = nil
            vacant.append(place)
            return member.subscription
        }
        subscription?.dispose()
    }

    func dispose() {
        let members = lock.withLock {
            disposed.store(true, ordering: .releasing)
            defer { self.members = [] }
            return self.members
        }
        for member in members { member?.subscription.dispose() }
    }

    func pause() {
        for member in hold(true).members { member.source.pause() }
    }

    /// Resumes the members in the order of their insertion, which a reused index does not keep: timers of one length that
    /// became due during the pause then fire in the order in which they began. An element of one member can pause all of them
    /// again, and the members after it then wait for the next resume.
    func resume() {
        var (members, isOrdered) = hold(false)
        if !isOrdered { members.sort { $0.number < $1.number } }
        for member in members {
            if isHeld { return }
            pauseOrResume(member.source) { isHeld }
        }
    }

    private var isHeld: Bool { lock.withLock { isPaused } }

    private func hold(_ isPaused: Bool) -> (members: [(number: Int, source: any Pausable)], isOrdered: Bool) {
        lock.withLock {
            self.isPaused = isPaused
            var pausable: [(number: Int, source: any Pausable)] = []
            for place in members.indices {
                if let number = members[place]?.number, let source = members[place]?.pausable {
                    pausable.append((number, source))
                }
            }
            return (pausable, !hasReused)
        }
    }
}
