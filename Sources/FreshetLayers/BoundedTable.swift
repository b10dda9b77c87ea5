import FreshetCore

/// Stores a value for each key, for a limited number of keys, so that a program that contacts more and more servers
/// does not fill its memory.
final class BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var value: Value
        var lastUse: Int
    }

    private struct State: Sendable {
        var entries: [Key: Entry] = [:]
        var useCount = 0

        /// - Returns: the index of the key's entry, which counts as used.
        mutating func use(_ key: Key) -> Dictionary<Key, Entry>.Index? {
            useCount += 1
            guard let index = entries.index(forKey: key) else { return nil }
            entries.values[index].lastUse = useCount
            return index
        }
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int = 4096) {
        self.limit = limit
    }

    func value(for key: Key, or empty: @autoclosure () -> Value) -> Value {
        state.withLock { state in state.use(key).map { state.entries.values[$0].value } } ?? empty()
    }

    func change<Result: Sendable>(
        _ key: Key, or empty: @autoclosure () -> Value, _ change: (inout Value) -> Result
    ) -> Result {
        var new: Value?
        while true {
            let result = state.withLock { state -> Result? in
                if let index = state.use(key) { return change(&state.entries.values[index].value) }
                guard var new else { return nil }
                if state.entries.count >= limit { forget(&state) }
                defer { state.entries[key] = Entry(value: new, lastUse: state.useCount) }
                return change(&new)
            }
            if let result { return result }
            // Made without the lock.
            new = empty()
        }
    }

    /// Removes the least recently used half of the keys at once, because a search for each new key would cost more.
    private func forget(_ state: inout State) {
        let uses = state.entries.values.map(\.lastUse).sorted()
        let last = uses[limit / 2 - 1]
        state.entries = state.entries.filter { $0.value.lastUse > last }
    }
}
