public import Glibc

/// The identity of the calling thread: a number that no other live thread has, never zero.
@usableFromInline
package enum ThreadIdentity {
    @inlinable package static var current: UInt { UInt(pthread_self()) }
}
