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
package struct Locked<Value>: @unchecked Sendable {
    @usableFromInline let storage: LockedStorage<Value>

    @inlinable
    package init(_ value: Value) {
        storage = .make(value)
    }

    @inlinable
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try storage.withUnsafeMutablePointers { value, mutex in
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
}

/// A lock without a value of its own.
@usableFromInline
package struct Lock: Sendable {
    @usableFromInline let locked = Locked(())

    @inlinable
    package init() {}

    @inlinable
    package func lock() {
        _ = locked.storage.withUnsafeMutablePointerToElements { pthread_mutex_lock($0) }
    }

    @inlinable
    package func unlock() {
        _ = locked.storage.withUnsafeMutablePointerToElements { pthread_mutex_unlock($0) }
    }

    @inlinable
    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        try locked.withLock { _ in try body() }
    }
}

/// The value and its mutex in one allocation, at an address that does not move.
@usableFromInline
final class LockedStorage<Value>: ManagedBuffer<Value, pthread_mutex_t> {
    @usableFromInline
    static func make(_ value: Value) -> LockedStorage {
        let buffer = create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements {
                $0.initialize(to: pthread_mutex_t())
                pthread_mutex_init($0, nil)
            }
            return value
        }
        return unsafeDowncast(buffer, to: LockedStorage.self)
    }

    deinit {
        _ = withUnsafeMutablePointerToElements { pthread_mutex_destroy($0) }
    }
}
