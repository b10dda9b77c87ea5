public import Synchronization

/// How many things of the library are alive: subscriptions, timers, loop handles, transfers.
///
/// A test notes ``total`` at its start and finds the same number at its end; what is left is a leak.
/// Source: RxSwift's `Resources`, here without a build flag.
public enum Resources {
    @usableFromInline static let counter = Atomic<Int>(0)

    /// The number of live resources in this process.
    public static var total: Int { counter.load(ordering: .acquiring) }

    @inlinable
    package static func increment() {
        counter.add(1, ordering: .relaxed)
    }

    @inlinable
    package static func decrement() {
        counter.subtract(1, ordering: .releasing)
    }
}
