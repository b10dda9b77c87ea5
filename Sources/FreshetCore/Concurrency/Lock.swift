public import Glibc

/// A value that is accessible only under its lock, a pthread mutex. Use it for small state that several threads share.
///
/// The lock is not recursive. Do not call foreign code while you hold it: no observer, no subscribe, no dispose. The
/// type does not use `Synchronization.Mutex`, because the thread sanitizer does not recognize that mutex on Linux and
/// reports races in correct code.
///
/// Keep a function in a structure of yours, and that structure in the lock. Swift wraps a bare function once more at each access,
/// so that its calls become slower and its release can overflow the stack.
///
/// ```
/// let names = Locked<Set<String>>([])
/// let isNew = names.withLock { $0.insert("anna").inserted }
/// ```
// Unchecked: the mutex guards the value.
public final class Locked<Value>: @unchecked Sendable {
    // Mutex and value share an allocation of their own, because an access to a stored property would claim the object
    // before the lock is held. A structure of both would need a metadata lookup whenever a lock is deallocated.
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

    /// Waits until the lock is free, calls `body` under it, and returns the result of `body`.
    @inlinable
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body(&value.pointee)
    }

    /// Calls `body` under the lock and returns its result. Returns `nil` without calling `body` if another caller holds
    /// the lock. Use it for values that the caller can do without, such as the latest cached value.
    /// Source: `Synchronization.Mutex`.
    @inlinable
    public func withLockIfAvailable<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { unlock() }
        return try body(&value.pointee)
    }

    /// Calls `change` under the lock, and releases the old value after it. The release of an object can run any code,
    /// which may need this lock.
    func update(_ change: (inout Value) -> Void) {
        _ = withLock { value in
            defer { change(&value) }
            return value
        }
    }
}

/// A lock without a value of its own.
public typealias Lock = Locked<Void>

extension Locked where Value == Void {
    @inlinable
    public convenience init() {
        self.init(())
    }

    /// Waits until the lock is free, calls `body` under it, and returns the result of `body`.
    @inlinable
    public func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
