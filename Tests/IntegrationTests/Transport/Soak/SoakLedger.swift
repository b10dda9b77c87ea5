import FreshetCore

/// Records the result of each request. It complains about a request that ends twice, never ends, or is acted upon twice.
final class SoakLedger: Sendable {
    private struct Entry {
        var arrivals: UInt8 = 0
        var ends: UInt8 = 0
    }

    struct Counts {
        var sent = 0
        var responded = 0
        var failed: [String: Int] = [:]
        var cancelled = 0
        var faulted = 0
        /// The requests that arrived at the server more than once.
        var resent = 0
    }

    private struct State {
        var entries: [Entry]
        var counts = Counts()
        var failures: [String] = []
    }

    private let state: Locked<State>

    /// - Parameter capacity: the largest number of requests. Their memory is allocated at once.
    init(capacity: Int) {
        state = Locked(State(entries: Array(repeating: Entry(), count: capacity)))
    }

    var counts: Counts { state.withLock { $0.counts } }
    var failures: [String] { state.withLock { $0.failures } }

    /// The number of the next request; `nil` if the capacity is used up.
    func begin() -> Int? {
        state.withLock { state in
            guard state.counts.sent < state.entries.count else { return nil }
            defer { state.counts.sent += 1 }
            return state.counts.sent
        }
    }

    func arrived(_ number: Int, mayRepeat: Bool) {
        state.withLock { state in
            state.entries[number].arrivals += 1
            let arrivals = state.entries[number].arrivals
            if arrivals == 2 { state.counts.resent += 1 }
            if arrivals > (mayRepeat ? 2 : 1) { state.failures.append("\(number) came \(arrivals) times") }
        }
    }

    /// - Parameter failure: the error's code; `nil` for a response.
    func ended(_ number: Int, failure: String?, isFaulted: Bool) {
        state.withLock { state in
            state.entries[number].ends += 1
            if state.entries[number].ends > 1 { state.failures.append("\(number) ended twice") }
            if isFaulted { state.counts.faulted += 1 }
            if let failure {
                state.counts.failed[failure, default: 0] += 1
            } else {
                state.counts.responded += 1
                if state.entries[number].arrivals == 0 { state.failures.append("\(number) was answered by nobody") }
            }
        }
    }

    /// - Returns: whether the request had not ended before.
    func cancelled(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.entries[number].ends == 0 else { return false }
            state.entries[number].ends = 1
            state.counts.cancelled += 1
            return true
        }
    }

    func recordFailure(_ text: String) {
        state.withLock { $0.failures.append(text) }
    }

    func arrivals(of number: Int) -> Int { state.withLock { Int($0.entries[number].arrivals) } }

    /// The numbers of the requests that have neither ended nor been cancelled.
    var open: [Int] {
        state.withLock { state in (0..<state.counts.sent).filter { state.entries[$0].ends == 0 } }
    }
}
