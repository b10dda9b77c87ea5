public import Synchronization

/// Counts the live objects of the library: subscriptions, timers, loop handles, transfers.
///
/// A test reads ``total`` at its start and expects the same number at its end. A difference is a leak.
/// A client keeps idle connections, which count until it is shut down.
/// Source: RxSwift's `Resources`, here without a build flag.
public enum Resources {
    /// The counters. There are enough of them that two threads rarely share one, because alternating updates of two
    /// threads take longer than the rest of the counting. Each counter has cache lines of its own.
    // Stored properties, so that the counters are static data of the program. Counters on the heap would need an
    // allocation and, at each use, a check that it has been made.
    @usableFromInline static let counters = Counters()
    @usableFromInline static var count: Int { 16 }

    @usableFromInline
    struct Counters: ~Copyable, Sendable {
        private let first = Quarter(), second = Quarter(), third = Quarter(), fourth = Quarter()

        @usableFromInline
        init() {}
    }

    @usableFromInline
    struct Quarter: ~Copyable, Sendable {
        private let first = Counter(), second = Counter(), third = Counter(), fourth = Counter()

        @usableFromInline
        init() {}
    }

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
        (0..<count).reduce(0) { total, index in
            total + counter(index) { $0.pointee.value.load(ordering: .acquiring) }
        }
    }

    /// The index of the calling thread's counter, derived from the address of the thread's stack.
    @inlinable static var own: Int {
        var mark: UInt8 = 0
        let place = withUnsafePointer(to: &mark) { UInt(bitPattern: $0) }
        return Int(truncatingIfNeeded: (place >> 23) % UInt(count))
    }

    @inlinable
    static func counter<Result>(_ index: Int, _ body: (UnsafePointer<Counter>) -> Result) -> Result {
        withUnsafePointer(to: counters) { body(UnsafeRawPointer($0).assumingMemoryBound(to: Counter.self) + index) }
    }

    @inlinable
    package static func increment() {
        counter(own) { _ = $0.pointee.value.wrappingAdd(1, ordering: .relaxed) }
    }

    @inlinable
    package static func decrement() {
        counter(own) { _ = $0.pointee.value.wrappingSubtract(1, ordering: .releasing) }
    }
}
