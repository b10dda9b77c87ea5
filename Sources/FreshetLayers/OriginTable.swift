import FreshetCore
import FreshetHTTP

/// A value for each origin, of a limited number of origins: a program that asks ever new servers does not fill its memory.
final class OriginTable<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var values: [Origin: Value] = [:]
        /// In the order of their first use.
        var origins: [Origin] = []
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int = 4096) {
        self.limit = limit
    }

    func value(for origin: Origin, or empty: @autoclosure () -> Value) -> Value {
        state.withLock { $0.values[origin] } ?? empty()
    }

    func change<Result: Sendable>(
        _ origin: Origin, or empty: @autoclosure () -> Value, _ change: (inout Value) -> Result
    ) -> Result {
        let empty = state.withLock({ $0.values[origin] == nil }) ? empty() : nil
        return state.withLock { state in
            if let empty, state.values[origin] == nil {
                if state.origins.count >= limit { forget(&state) }
                state.origins.append(origin)
                state.values[origin] = empty
            }
            return change(&state.values[origin]!)
        }
    }

    /// Half of the origins at once, as moving all of them for each new one would cost more.
    private func forget(_ state: inout State) {
        for origin in state.origins.prefix(limit / 2) { state.values[origin] = nil }
        state.origins.removeFirst(limit / 2)
    }
}
