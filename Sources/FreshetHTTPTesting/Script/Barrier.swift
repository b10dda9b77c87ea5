import FreshetCore

/// A gate at which answers wait until the test releases them: all that wait now, and all that come later.
public final class Barrier: Sendable {
    private struct State {
        var waiters: [Int: @Sendable () -> Void] = [:]
        var lastKey = 0
        var isReleased = false
    }

    private let state = Locked(State())

    public init() {}

    public var isReleased: Bool { state.withLock { $0.isReleased } }

    /// How many answers wait here now.
    public var waiting: Int { state.withLock { $0.waiters.count } }

    /// Lets everybody pass from now on, in the order in which they came. Can be called from any thread.
    public func release() {
        let waiters = state.withLock { state in
            state.isReleased = true
            defer { state.waiters = [:] }
            return state.waiters
        }
        for (_, pass) in waiters.sorted(by: { $0.key < $1.key }) { pass() }
    }

    /// Calls `pass` when the gate is open: now, or from ``release()``.
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
