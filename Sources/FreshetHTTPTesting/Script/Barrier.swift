import FreshetCore

/// A barrier at which responses wait until the test releases it. It then lets all waiting and all later responses pass.
public final class Barrier: Sendable {
    private struct State {
        var waiters: [Int: @Sendable () -> Void] = [:]
        var lastKey = 0
        var isReleased = false
    }

    private let state = Locked(State())

    public init() {}

    public var isReleased: Bool { state.withLock { $0.isReleased } }

    /// The number of responses that wait now.
    public var waiting: Int { state.withLock { $0.waiters.count } }

    /// Lets all waiting responses pass, in the order in which they arrived, and all later ones. Can be called from any thread.
    public func release() {
        let waiters = state.withLock { state in
            state.isReleased = true
            defer { state.waiters = [:] }
            return state.waiters
        }
        for (_, pass) in waiters.sorted(by: { $0.key < $1.key }) { pass() }
    }

    /// Calls `pass` when the barrier is released: at once if it is already released, otherwise from ``release()``.
    func wait(_ pass: @escaping @Sendable () -> Void) -> any Disposable {
        let key = state.withLock { state -> Int? in
            guard !state.isReleased else { return nil }
            state.lastKey += 1
            state.waiters[state.lastKey] = pass
            return state.lastKey
        }
        guard let key else {
            pass()
            return Disposables.create()
        }
        return Disposables.create { [state] in
            _ = state.withLock { $0.waiters.removeValue(forKey: key) }
        }
    }
}
