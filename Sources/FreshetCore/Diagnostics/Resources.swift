public import Synchronization

/// How many things of the library are alive: subscriptions, timers, loop handles, transfers.
///
/// A test notes ``total`` at its start and finds the same number at its end; what is left is a leak.
/// Source: RxSwift's `Resources`, here without a build flag.
public enum Resources {
    /// As many counters as hardly ever two threads are to share one: what they would do by turns takes longer than all else
    /// that is done to count. Each has cache lines of its own.
    // Made once and never changed.
    @usableFromInline nonisolated(unsafe) static let counters: UnsafeMutablePointer<Counter> = {
        let counters = UnsafeMutablePointer<Counter>.allocate(capacity: count)
        for index in 0..<count { counters.advanced(by: index).initialize(to: Counter()) }
        return counters
    }()
    @usableFromInline static var count: Int { 16 }

    @usableFromInline
    struct Counter: ~Copyable, Sendable {
        @usableFromInline let value = Atomic<Int>(0)
        private let padding: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
        private let morePadding: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)

        @usableFromInline
        init() {}
    }

    /// The number of live resources in this process.
    public static var total: Int {
        (0..<count).reduce(0) { $0 + counters.advanced(by: $1).pointee.value.load(ordering: .acquiring) }
    }

    /// The calling thread's, which is known by where its stack is.
    @inlinable static var counter: UnsafeMutablePointer<Counter> {
        var mark: UInt8 = 0
        let place = withUnsafePointer(to: &mark) { UInt(bitPattern: $0) }
        return counters.advanced(by: Int(truncatingIfNeeded: (place >> 23) % UInt(count)))
    }

    @inlinable
    package static func increment() {
        counter.pointee.value.add(1, ordering: .relaxed)
    }

    @inlinable
    package static func decrement() {
        counter.pointee.value.subtract(1, ordering: .releasing)
    }
}
