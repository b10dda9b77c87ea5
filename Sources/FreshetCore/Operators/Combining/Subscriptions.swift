import Synchronization

/// The subscriptions of a combining operator: they end together, are held together, and come and go in constant time.
/// What is inserted after `dispose` is disposed of at once, and what is inserted after `pause` is paused.
final class Subscriptions: Pausable, @unchecked Sendable {
    private let lock = Mutex()
    private let disposed = Atomic<Bool>(false)

    // Touched under the lock alone.
    private var members: [(any Disposable)?] = []
    private var vacant: [Int] = []
    private var isPaused = false

    init() {
        Resources.increment()
    }

    deinit { Resources.decrement() }

    var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    /// Takes a member, and gives the number to remove it by.
    func insert(_ subscription: any Disposable) -> Int {
        lock.lock()
        if disposed.load(ordering: .relaxed) {
            lock.unlock()
            subscription.dispose()
            return -1
        }
        let number = vacant.popLast() ?? members.count
        if number == members.count { members.append(subscription) } else { members[number] = subscription }
        let isPaused = isPaused
        lock.unlock()
        if isPaused { pauseLate(subscription) { lock.withLock { self.isPaused } } }
        return number
    }

    /// Ends one member and forgets it.
    func remove(_ number: Int) {
        let subscription: (any Disposable)? = lock.withLock {
            guard number >= 0, !disposed.load(ordering: .relaxed), let member = members[number] else { return nil }
            members[number] = nil
            vacant.append(number)
            return member
        }
        subscription?.dispose()
    }

    func dispose() {
        let members: [(any Disposable)?] = lock.withLock {
            disposed.store(true, ordering: .releasing)
            defer { self.members = [] }
            return self.members
        }
        for member in members { member?.dispose() }
    }

    func pause() {
        for member in hold(true) { (member as? any Pausable)?.pause() }
    }

    func resume() {
        for member in hold(false) { (member as? any Pausable)?.resume() }
    }

    private func hold(_ isPaused: Bool) -> [(any Disposable)?] {
        lock.withLock {
            self.isPaused = isPaused
            return members
        }
    }
}
