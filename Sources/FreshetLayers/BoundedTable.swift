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

        /// - Returns: whether there is an entry. It counts as used then.
        mutating func use(_ key: Key) -> Bool {
            useCount += 1
            entries[key]?.lastUse = useCount
            return entries[key] != nil
        }
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int = 4096) {
        self.limit = limit
    }

    func value(for key: Key, or empty: @autoclosure () -> Value) -> Value {
        state.withLock { $0.use(key) ? $0.entries[key]?.value : nil } ?? empty()
    }

    func change<Result: Sendable>(
        _ key: Key, or empty: @autoclosure () -> Value, _ change: (inout Value) -> Result
    ) -> Result {
        var new: Value?
        while true {
            let result = state.withLock { state -> Result? in
                if !state.use(key) {
                    guard let new else { return nil }
                    if state.entries.count >= limit { forget(&state) }
                    state.entries[key] = Entry(value: new, lastUse: state.useCount)
                }
                return change(&state.entries[key]!.value)
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
