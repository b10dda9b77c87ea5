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

    func enter(_ permit: BulkheadPermit) -> Admission {
        state.withLock { state in
            if state.running < limit {
                state.running += 1
                return .runs
            }
            guard state.waiting.count < queueLimit else { return .refused }
            defer { state.end += 1 }
            state.waiting[state.end] = permit
            return .waits(state.end)
        }
    }

    /// Ends a running request, and starts the next waiting one. A request that ends within its start does not deepen the stack.
    func leave() {
        calls.run { startNext() }
    }

    private func startNext() {
        while true {
            let next = state.withLock { state -> BulkheadPermit? in
                while state.first < state.end {
                    defer { state.first += 1 }
                    if let next = state.waiting.removeValue(forKey: state.first) { return next }
                }
                state.running -= 1
                return nil
            }
            guard let next else { return }
            // A request that was disposed of in the meantime does not run, so the next one starts instead.
            if next.run(hasWaited: true) { return }
        }
    }

    func remove(_ number: Int) { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
}
