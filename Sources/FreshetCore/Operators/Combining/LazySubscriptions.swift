import Synchronization

/// ``Subscriptions`` that are created with the first member, because most flattening operators never need them.
struct LazySubscriptions: ~Copyable {
    // Sequentially consistent: the thread that creates the members reads the flags afterwards, and a thread that sets a
    // flag reads the members afterwards. One of the two must see the change of the other.
    private let members = Atomic<UInt>(0)
    private let disposed = Atomic<Bool>(false)
    private let held = Atomic<Bool>(false)

    deinit {
        let address = members.load(ordering: .acquiring)
        if let pointer = UnsafeRawPointer(bitPattern: address) {
            _ = OpaqueReference<Subscriptions>.takeRetained(pointer)
        }
    }

    var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    /// Does the same as ``Subscriptions/insert(_:)``.
    func insert(_ subscription: any Disposable) -> Int {
        if let members = current { return members.insert(subscription) }
        let members = Subscriptions()
        let number = members.insert(subscription)
        let pointer = OpaqueReference.retain(members)
        let (isFirst, other) = self.members.compareExchange(
            expected: 0, desired: UInt(bitPattern: pointer), ordering: .sequentiallyConsistent)
        if !isFirst, let other = UnsafeRawPointer(bitPattern: other) {
            // Another thread has created the members meanwhile.
            _ = OpaqueReference<Subscriptions>.takeRetained(pointer)
            return OpaqueReference<Subscriptions>.object(at: other).insert(subscription)
        }
        if disposed.load(ordering: .sequentiallyConsistent) {
            members.dispose()
        } else if held.load(ordering: .sequentiallyConsistent) {
            pauseLate(members) { held.load(ordering: .sequentiallyConsistent) }
        }
        return number
    }

    func remove(_ number: Int) { current?.remove(number) }

    func dispose() {
        disposed.store(true, ordering: .sequentiallyConsistent)
        current?.dispose()
    }

    func pause() {
        held.store(true, ordering: .sequentiallyConsistent)
        current?.pause()
    }

    func resume() {
        held.store(false, ordering: .sequentiallyConsistent)
        current?.resume()
    }

    private var current: Subscriptions? {
        UnsafeRawPointer(bitPattern: members.load(ordering: .sequentiallyConsistent)).map {
            OpaqueReference.object(at: $0)
        }
    }
}
