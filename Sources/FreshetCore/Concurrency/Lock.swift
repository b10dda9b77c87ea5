#if canImport(Glibc)
    public import Glibc
#elseif canImport(Musl)
    public import Musl
#else
    public import Darwin
#endif

/// A value that can be reached only under its lock: a pthread mutex, for the few words that two threads share.
///
/// `Synchronization.Mutex` would serve, but on Linux the thread sanitizer does not see it and reports races in correct
/// code. Nothing is ever called out to while the lock is held: no observer, no subscribe, no dispose.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {
    // At addresses of their own, for an access to a stored property would claim the object before the lock is held.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    @inlinable
    package init(_ value: Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    @inlinable
    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    @inlinable
    package func lock() {
        pthread_mutex_lock(mutex)
    }

    @inlinable
    package func unlock() {
        pthread_mutex_unlock(mutex)
    }

    @inlinable
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body(&value.pointee)
    }
}

/// A lock without a value of its own.
@usableFromInline
package typealias Lock = Locked<Void>

extension Locked where Value == Void {
    @inlinable
    package convenience init() {
        self.init(())
    }

    @inlinable
    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
