public import Synchronization

/// The state of a slot for one disposable: assigned, paused, closed, and the number of its users. Any number of threads
/// can use it, without a lock. The owner stores the disposable, and accesses it only when these functions permit it.
///
/// Each caller that uses the disposable is counted. After ``close()`` the last user releases the disposable.
@usableFromInline
struct Assignment: ~Copyable {
    @usableFromInline static var closed: UInt { 1 }
    private static var assigned: UInt { 2 }
    private static var held: UInt { 4 }
    private static var user: UInt { 8 }

    @usableFromInline let word = Atomic<UInt>(0)

    @inlinable
    init() {}

    @inlinable var isClosed: Bool { word.load(ordering: .acquiring) & Self.closed != 0 }
    var isHeld: Bool { word.load(ordering: .acquiring) & Self.held != 0 }

    /// The owner calls this after it has stored `disposable`. Disposes of `disposable` if the slot is closed, or pauses
    /// it if the slot is paused.
    ///
    /// - Returns: whether the caller has to release its reference to the disposable.
    @inline(__always)
    func assign(_ disposable: some Disposable) -> Bool {
        if word.compareExchange(expected: 0, desired: Self.assigned, ordering: .acquiringAndReleasing).exchanged {
            return false
        }
        let seen = word.add(Self.assigned + Self.user, ordering: .acquiringAndReleasing).oldValue
        precondition(seen & Self.assigned == 0, "This place was assigned twice; use SerialDisposable")
        if seen & Self.closed != 0 { disposable.dispose() } else { pauseLate(disposable) { isHeld } }
        return release()
    }

    /// Closes the slot permanently. If there is a disposable, the caller counts as a user: it disposes of the
    /// disposable and calls ``release()``.
    func close() -> (isFirst: Bool, isUser: Bool) {
        let (before, isUser) = enter(Self.closed, on: true)
        return (before & Self.closed == 0, isUser)
    }

    /// Pauses or resumes the slot. If there is a disposable, the caller counts as a user and the result is `true`.
    func hold(_ isHeld: Bool) -> Bool {
        enter(Self.held, on: isHeld).isUser
    }

    /// Ends a use. If the result is `true`, no other user follows and the caller releases its reference to the disposable.
    func release() -> Bool {
        let now = word.subtract(Self.user, ordering: .acquiringAndReleasing).newValue
        return now & Self.closed != 0 && now < Self.user
    }

    /// Sets or clears `flag`, and counts the caller as a user if there is a disposable to use.
    private func enter(_ flag: UInt, on isOn: Bool) -> (before: UInt, isUser: Bool) {
        var seen = word.load(ordering: .acquiring)
        while true {
            let isUser = seen & (Self.assigned | Self.closed) == Self.assigned
            let flagged = isOn ? seen | flag : seen & ~flag
            let (exchanged, now) = word.weakCompareExchange(
                expected: seen, desired: isUser ? flagged + Self.user : flagged, ordering: .acquiringAndReleasing)
            if exchanged { return (seen, isUser) }
            seen = now
        }
    }
}
