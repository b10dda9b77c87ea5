/// Converts an object to a pointer, for the `void *` that a C library stores for its callbacks and for an atomic word.
/// All manual reference counting of the library is here.
@usableFromInline
package enum OpaqueReference<Object: AnyObject> {
    /// Returns a pointer that retains `object` until ``takeRetained(_:)`` is called with it.
    @inlinable @inline(__always)
    package static func retain(_ object: Object) -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(object).toOpaque()
    }

    /// Returns a pointer to `object` without retaining it. The caller keeps `object` alive while the pointer is used.
    @inlinable @inline(__always)
    package static func borrow(_ object: Object) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque()
    }

    /// Returns the object at `pointer`. The pointer keeps its reference.
    @inlinable @inline(__always)
    package static func object(at pointer: UnsafeRawPointer) -> Object {
        Unmanaged.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Returns the object at `pointer` and takes over the pointer's reference.
    @inlinable @inline(__always)
    package static func takeRetained(_ pointer: UnsafeRawPointer) -> Object {
        Unmanaged.fromOpaque(pointer).takeRetainedValue()
    }
}
