#if canImport(Glibc)
    public import Glibc
#elseif canImport(Musl)
    public import Musl
#else
    public import Darwin
#endif

/// A value that can be reached only under its lock: a pthread mutex, for the few words that several threads share.
///
/// `Synchronization.Mutex` would serve, but on Linux the thread sanitizer does not see it and reports races in correct
/// code. The lock is not recursive. Call nothing of others while it is held: no observer, no subscribe, no dispose.
///
/// ```
/// let names = Locked<Set<String>>([])
/// let isNew = names.withLock { $0.insert("anna").inserted }
/// ```
// Unchecked: the mutex guards the value.
public final class Locked<Value>: @unchecked Sendable {
    // Both in one piece of memory of their own, for an access to a stored property would claim the object before the lock is
    // held. A structure of both would be a type to look up whenever a lock is let go of.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    public init(_ value: Value) {
        let alignment = max(MemoryLayout<Value>.alignment, MemoryLayout<pthread_mutex_t>.alignment)
        let offset = (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<Value>.size, alignment: alignment)
        mutex = memory.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
        self.value = (memory + offset).initializeMemory(as: Value.self, to: value)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        value.deinitialize(count: 1)
        UnsafeMutableRawPointer(mutex).deallocate()
    }

    @inlinable
    package func lock() {
        pthread_mutex_lock(mutex)
    }

    @inlinable
    package func unlock() {
        pthread_mutex_unlock(mutex)
    }

    /// What `body` returns, which is called as soon as nobody else holds the lock.
    @inlinable
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body(&value.pointee)
    }

    /// The same, or `nil` without a call of `body` if somebody holds the lock: for what can be done without, such as the
    /// value that was made last. Source: `Synchronization.Mutex`.
    @inlinable
    public func withLockIfAvailable<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { unlock() }
        return try body(&value.pointee)
    }
}

/// A lock without a value of its own.
public typealias Lock = Locked<Void>

extension Locked where Value == Void {
    @inlinable
    public convenience init() {
        self.init(())
    }

    /// What `body` returns, which is called as soon as nobody else holds the lock.
    @inlinable
    public func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
