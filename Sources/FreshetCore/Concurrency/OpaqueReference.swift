/// An object as a pointer: for the `void *` that a C library keeps for its callbacks, and for an atomic word. The one
/// place where objects are counted by hand.
@usableFromInline
package enum OpaqueReference<Object: AnyObject> {
    /// A pointer that holds `object` until ``take(_:)`` is called with it.
    @inlinable @inline(__always)
    package static func retain(_ object: Object) -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(object).toOpaque()
    }

    /// A pointer to `object`, which the caller keeps alive for as long as the pointer is used.
    @inlinable @inline(__always)
    package static func borrow(_ object: Object) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque()
    }

    /// The object at `pointer`, which the pointer still holds.
    @inlinable @inline(__always)
    package static func object(at pointer: UnsafeRawPointer) -> Object {
        Unmanaged.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The object at `pointer`, which the pointer holds no longer.
    @inlinable @inline(__always)
    package static func takeRetained(_ pointer: UnsafeRawPointer) -> Object {
        Unmanaged.fromOpaque(pointer).takeRetainedValue()
    }
}
