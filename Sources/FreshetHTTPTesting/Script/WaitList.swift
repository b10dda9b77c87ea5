import FreshetCore

/// A state that opens and closes, and those that wait until it is open.
final class WaitList<State: Sendable>: Sendable {
    private struct Contents {
        var state: State
        var waiters: [Int: @Sendable () -> Void] = [:]
        var lastKey = 0
    }

    private let contents: Locked<Contents>
    private let isOpen: @Sendable (State) -> Bool

    init(_ state: State, isOpen: @escaping @Sendable (State) -> Bool) {
        contents = Locked(Contents(state: state))
        self.isOpen = isOpen
    }

    /// The number of those that wait now.
    var count: Int { contents.withLock { $0.waiters.count } }

    func withState<Result>(_ body: (inout State) -> Result) -> Result { contents.withLock { body(&$0.state) } }

    /// Changes the state, and calls all that wait, in the order in which they came. They wait again if it is still closed.
    func wake(_ change: (inout State) -> Void) {
        let waiters = contents.withLock { contents in
            change(&contents.state)
            defer { contents.waiters = [:] }
            return contents.waiters
        }
        for (_, pass) in waiters.sorted(by: { $0.key < $1.key }) { pass() }
    }

    /// Calls `pass` once: now if the state is open, or else after the next change.
    func wait(_ pass: @escaping @Sendable () -> Void) -> any Disposable {
        let key = contents.withLock { contents -> Int? in
            if isOpen(contents.state) { return nil }
            contents.lastKey += 1
            contents.waiters[contents.lastKey] = pass
            return contents.lastKey
        }
        guard let key else {
            pass()
            return Disposables.create()
        }
        return Disposables.create { [contents] in
            _ = contents.withLock { $0.waiters.removeValue(forKey: key) }
        }
    }
}
