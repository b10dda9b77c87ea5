import Synchronization

/// The subscriptions of a combining operator: they end together, are held together, and come and go in constant time.
/// What is inserted after `dispose` is disposed of at once, and what is inserted after `pause` is paused.
final class Subscriptions: Pausable, @unchecked Sendable {
    private let lock = Mutex()
    private let disposed = Atomic<Bool>(false)

    // Touched under the lock alone.
    private var members: [(number: Int, subscription: any Disposable)?] = []
    private var vacant: [Int] = []
    private var arrivals = 0
    private var isPaused = false

    init() {
        Resources.increment()
    }

    deinit { Resources.decrement() }

    var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    /// Takes a member, and gives the number to remove it by: its place, and above that which of those who had the place it
    /// is. A source that ends after another has come to its place must not end that one.
    func insert(_ subscription: any Disposable) -> Int {
        lock.lock()
        if disposed.load(ordering: .relaxed) {
            lock.unlock()
            subscription.dispose()
            return -1
        }
        let place = vacant.popLast() ?? members.count
        arrivals = (arrivals + 1) & 0x7fff_ffff
        let number = arrivals << 32 | place
        if place == members.count { members.append(nil) }
        members[place] = (number, subscription)
        let isPaused = isPaused
        lock.unlock()
        if isPaused { pauseLate(subscription) { lock.withLock { self.isPaused } } }
        return number
    }

    /// Ends one member and forgets it.
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
        for member in hold(true) { (member?.subscription as? any Pausable)?.pause() }
    }

    func resume() {
        for member in hold(false) { (member?.subscription as? any Pausable)?.resume() }
    }

    private func hold(_ isPaused: Bool) -> [(number: Int, subscription: any Disposable)?] {
        lock.withLock {
            self.isPaused = isPaused
            return members
        }
    }
}
