public import Synchronization

/// How many things of the library are alive: subscriptions, timers, loop handles, transfers.
///
/// A test notes ``total`` at its start and finds the same number at its end; what is left is a leak.
/// Source: RxSwift's `Resources`, here without a build flag.
public enum Resources {
    /// As many counters as hardly ever two threads are to share one: what they would do by turns takes longer than all else
    /// that is done to count. Each has cache lines of its own.
    // Written out, so that they are part of the program: memory would have to be asked for, and whether it is there yet.
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

    /// The number of the calling thread's, which is known by where its stack is.
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
