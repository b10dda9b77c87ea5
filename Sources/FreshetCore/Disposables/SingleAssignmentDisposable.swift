import Synchronization

/// A place for one disposable that comes later; what comes after `dispose` is disposed of at once, and what comes after
/// `pause` is paused. Source: RxSwift's `SingleAssignmentDisposable`.
///
/// Each subscription has several of these, therefore there is no lock: whoever uses the disposable counts itself in, and
/// after `dispose` the last one to go lets it go.
public final class SingleAssignmentDisposable: Cancelable, Pausable, @unchecked Sendable {
    private static var claimed: UInt { 1 }
    private static var assigned: UInt { 2 }
    private static var disposed: UInt { 4 }
    private static var paused: UInt { 8 }
    private static var user: UInt { 16 }

    private let state = Atomic<UInt>(0)
    /// Written before `assigned` is set, and by the last user after `disposed` is.
    @exclusivity(unchecked) private var current: (any Disposable)?

    public init() {}

    public var isDisposed: Bool { state.load(ordering: .acquiring) & Self.disposed != 0 }

    /// Takes the disposable. A second one is a programmer's error.
    public func setDisposable(_ disposable: any Disposable) {
        let before = state.bitwiseOr(Self.claimed, ordering: .relaxed).oldValue
        precondition(
            before & Self.claimed == 0, "SingleAssignmentDisposable was assigned twice; use SerialDisposable")
        current = disposable
        let seen = state.add(Self.assigned + Self.user, ordering: .acquiringAndReleasing).oldValue
        if seen & Self.disposed != 0 {
            disposable.dispose()
        } else if seen & Self.paused != 0 {
            pauseLate(disposable) { state.load(ordering: .acquiring) & Self.paused != 0 }
        }
        leave()
    }

    public func dispose() {
        let (before, isUser) = enter(Self.disposed, on: true)
        if isUser {
            if before & Self.disposed == 0 { current?.dispose() }
            leave()
        }
    }

    public func pause() { use(Self.paused, on: true) { $0.pause() } }
    public func resume() { use(Self.paused, on: false) { $0.resume() } }

    private func use(_ flag: UInt, on isOn: Bool, _ body: (any Pausable) -> Void) {
        if enter(flag, on: isOn).isUser {
            if let pausable = current as? any Pausable { body(pausable) }
            leave()
        }
    }

    /// Sets or clears `flag`, and counts the caller in if there is a disposable to use.
    private func enter(_ flag: UInt, on isOn: Bool) -> (before: UInt, isUser: Bool) {
        var seen = state.load(ordering: .acquiring)
        while true {
            let isUser = seen & (Self.assigned | Self.disposed) == Self.assigned
            let flagged = isOn ? seen | flag : seen & ~flag
            let (exchanged, now) = state.weakCompareExchange(
                expected: seen, desired: isUser ? flagged + Self.user : flagged, ordering: .acquiringAndReleasing)
            if exchanged { return (seen, isUser) }
            seen = now
        }
    }

    private func leave() {
        let now = state.subtract(Self.user, ordering: .acquiringAndReleasing).newValue
        // Disposed of, and nobody comes in any more.
        if now & Self.disposed != 0, now < Self.user { current = nil }
    }
}
