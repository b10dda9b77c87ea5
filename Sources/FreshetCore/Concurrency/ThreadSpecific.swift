#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An object that each thread has of its own, held until the thread ends. Source: POSIX's `pthread_key_create`.
struct ThreadSpecific<Object: AnyObject>: Sendable {
    private let key: pthread_key_t

    init() {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            // Optional in Glibc alone.
            let pointer: UnsafeMutableRawPointer? = pointer
            if let pointer { _ = OpaqueReference<AnyObject>.takeRetained(pointer) }
        }
        self.key = key
    }

    /// The calling thread's object.
    var current: Object? {
        @inline(__always) get { pthread_getspecific(key).map { OpaqueReference.object(at: $0) } }
    }

    /// What `body` returns for the calling thread's object, which is not counted as held meanwhile: its thread, which is
    /// here, holds it. `nil` without an object.
    @inline(__always)
    func withCurrent<Result>(_ body: (Object) -> Result) -> Result? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        return withoutRetaining(OpaqueReference<Object>.object(at: pointer), body)
    }

    /// Gives the calling thread `object`, and lets go of the one that it had.
    func replace(with object: Object?) {
        _ = exchange(object)
    }

    /// Gives the calling thread `object`.
    ///
    /// - Returns: the one that it had.
    func exchange(_ object: Object?) -> Object? {
        let before = pthread_getspecific(key).map { OpaqueReference<Object>.takeRetained($0) }
        pthread_setspecific(key, object.map { OpaqueReference.retain($0) })
        return before
    }
}
