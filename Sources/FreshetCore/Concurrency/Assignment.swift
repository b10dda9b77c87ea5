public import Synchronization

/// What has happened to a place for one disposable, for any number of threads and without a lock. The disposable itself is
/// kept by the owner, who touches it as it is told here.
///
/// Whoever uses the disposable counts itself in; after ``close()`` the last one to go lets it go.
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

    /// Called when `disposable` is in its place. Ends or holds it, if the place has been closed or held before.
    ///
    /// - Returns: whether the caller has to let the disposable go.
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

    /// Closes the place for good. If there is a disposable, the caller is counted in, disposes of it, and calls ``release()``.
    func close() -> (isFirst: Bool, isUser: Bool) {
        let (before, isUser) = enter(Self.closed, on: true)
        return (before & Self.closed == 0, isUser)
    }

    /// Holds the place, or no longer. If there is a disposable, the caller is counted in.
    func hold(_ isHeld: Bool) -> Bool {
        enter(Self.held, on: isHeld).isUser
    }

    /// Ends a use. After `true` nobody comes in any more, and the caller lets the disposable go.
    func release() -> Bool {
        let now = word.subtract(Self.user, ordering: .acquiringAndReleasing).newValue
        return now & Self.closed != 0 && now < Self.user
    }

    /// Sets or clears `flag`, and counts the caller in if there is a disposable to use.
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
