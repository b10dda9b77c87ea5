import FreshetCore

/// A value that one thread sets and another waits for.
final class Flag: Sendable {
    private let state = Locked(false)

    var value: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
