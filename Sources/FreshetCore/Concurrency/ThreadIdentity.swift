import Glibc

/// The identity of the calling thread: a number that no other live thread has, never zero.
enum ThreadIdentity {
    static var current: UInt { UInt(pthread_self()) }
}
