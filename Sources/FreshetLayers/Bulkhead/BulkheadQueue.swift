import FreshetCore

/// The requests to one origin: the running ones and the waiting ones.
final class BulkheadQueue: Sendable {
    private struct State: Sendable {
        var running = 0
        /// By their numbers, so that one of many can leave quickly.
        var waiting: [Int: BulkheadPermit] = [:]
        /// The number of the next request to start, and that of the next one to wait.
        var (first, end) = (0, 0)
    }

    private let limit: Int
    private let queueLimit: Int
    private let state = Locked(State())
    private let calls = SerialCalls()

    init(limit: Int, queueLimit: Int) {
        self.limit = limit
        self.queueLimit = queueLimit
    }

    var isEmpty: Bool { state.withLock { $0.running == 0 && $0.waiting.isEmpty } }

    enum Admission {
        case runs, refused
        case waits(Int)
    }

    /// As many of those that wait as there are free places count as running, because ``fill()`` is about to start them.
    func enter(_ permit: BulkheadPermit) -> Admission {
        state.withLock { state in
            if state.running < limit, state.waiting.isEmpty {
                state.running += 1
                return .runs
            }
            guard state.waiting.count - (limit - state.running) < queueLimit else { return .refused }
            defer { state.end += 1 }
            state.waiting[state.end] = permit
            return .waits(state.end)
        }
    }

    /// Ends a running request. ``fill()`` has to follow.
    func vacate() { state.withLock { $0.running -= 1 } }

    /// Starts requests that wait, as far as there are places. A request that ends within its start does not deepen the stack.
    func fill() { calls.run { startNext() } }

    private func startNext() {
        while true {
            let next = state.withLock { state -> BulkheadPermit? in
                guard state.running < limit else { return nil }
                while state.first < state.end {
                    defer { state.first += 1 }
                    if let next = state.waiting.removeValue(forKey: state.first) {
                        state.running += 1
                        return next
                    }
                }
                return nil
            }
            guard let next else { return }
            if !next.run(hasWaited: true) { vacate() }
        }
    }

    func remove(_ number: Int) { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
}
