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
    // At an address of their own, for an access to a stored property would claim the object before the lock is held.
    @usableFromInline let storage: UnsafeMutablePointer<Storage>

    @usableFromInline
    struct Storage {
        @usableFromInline var mutex = pthread_mutex_t()
        @usableFromInline var value: Value

        @usableFromInline
        init(_ value: Value) {
            self.value = value
        }
    }

    @usableFromInline
    package init(_ value: Value) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage(value))
        pthread_mutex_init(mutex, nil)
    }

    @usableFromInline
    deinit {
        pthread_mutex_destroy(mutex)
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    @inlinable var mutex: UnsafeMutablePointer<pthread_mutex_t> {
        // The first member is where the structure is.
        UnsafeMutableRawPointer(storage).assumingMemoryBound(to: pthread_mutex_t.self)
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
        return try body(&storage.pointee.value)
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
