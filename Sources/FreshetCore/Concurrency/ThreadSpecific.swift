import Glibc

/// One object per thread, kept until the thread ends. Source: POSIX's `pthread_key_create`.
struct ThreadSpecific<Object: AnyObject>: Sendable {
    private let key: pthread_key_t

    init() {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            // The pointer is optional only in Glibc.
            let pointer: UnsafeMutableRawPointer? = pointer
            if let pointer { _ = OpaqueReference<AnyObject>.takeRetained(pointer) }
        }
        self.key = key
    }

    /// The calling thread's object.
    var current: Object? {
        @inline(__always) get { pthread_getspecific(key).map { OpaqueReference.object(at: $0) } }
    }

    /// Calls `body` with the calling thread's object and returns its result, or returns `nil` if the thread has no
    /// object. The object is not retained during the call, because the calling thread keeps it alive.
    @inline(__always)
    func withCurrent<Result>(_ body: (Object) -> Result) -> Result? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        return withoutRetaining(OpaqueReference<Object>.object(at: pointer), body)
    }

    /// Sets the calling thread's object to `object`, and releases the previous one.
    func replace(with object: Object?) {
        _ = exchange(object)
    }

    /// Sets the calling thread's object to `object`.
    ///
    /// - Returns: the previous object.
    func exchange(_ object: Object?) -> Object? {
        let before = pthread_getspecific(key).map { OpaqueReference<Object>.takeRetained($0) }
        pthread_setspecific(key, object.map { OpaqueReference.retain($0) })
        return before
    }
}
