import FreshetCore

/// Stores a value for each key, for a limited number of keys, so that a program that contacts more and more servers
/// does not fill its memory.
final class BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State: Sendable {
        var values: [Key: Value] = [:]
        /// In the order of their first use.
        var keys: [Key] = []
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int = 4096) {
        self.limit = limit
    }

    func value(for key: Key, or empty: @autoclosure () -> Value) -> Value {
        state.withLock { $0.values[key] } ?? empty()
    }

    func change<Result: Sendable>(
        _ key: Key, or empty: @autoclosure () -> Value, _ change: (inout Value) -> Result
    ) -> Result {
        let empty = state.withLock({ $0.values[key] == nil }) ? empty() : nil
        return state.withLock { state in
            if let empty, state.values[key] == nil {
                if state.keys.count >= limit { forget(&state) }
                state.keys.append(key)
                state.values[key] = empty
            }
            return change(&state.values[key]!)
        }
    }

    /// Removes half of the keys at once, because moving all keys for each new one would cost more.
    private func forget(_ state: inout State) {
        for key in state.keys.prefix(limit / 2) { state.values[key] = nil }
        state.keys.removeFirst(limit / 2)
    }
}
