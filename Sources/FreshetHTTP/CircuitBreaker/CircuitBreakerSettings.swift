import FreshetCore

extension CircuitBreaker {
    /// When a circuit breaker opens, and for how long.
    public struct Settings: Sendable, Hashable {
        /// The calls whose outcomes count.
        public enum Window: Sendable, Hashable {
            /// This many of the last calls.
            case calls(Int)
            /// The calls that ended within this time.
            case time(Duration)
        }

        /// The number of failures in a row that opens the breaker; `nil` for none.
        public var consecutiveFailures: Int?
        /// The share of failures in the window that opens the breaker; `nil` for none.
        public var failureRate: Double? = 0.5
        /// A call whose response takes at least this long to begin is slow; `nil` if no call counts as slow.
        public var slowCall: Duration?
        /// The share of slow calls in the window that opens the breaker.
        public var slowCallRate = 1.0
        /// The shares count only when the window has at least this many calls.
        public var minimumCalls = 20
        public var window = Window.calls(100)
        /// How long the breaker stays open: a random time between half of this value and this value, doubled with each
        /// opening in a row.
        public var pause: Duration = .seconds(5)
        public var longestPause: Duration = .seconds(60)
        /// How many calls are admitted after the pause. All of them have to succeed.
        public var probes = 1
        /// A probe without an outcome after this time has failed.
        public var probeDeadline: Duration = .seconds(30)

        public init() {}
    }
}

/// The outcomes of the calls in a window.
struct CallRecord: Sendable {
    private struct Call: Sendable {
        let isFailure: Bool
        let isSlow: Bool
        let end: Instant
    }

    private let window: CircuitBreaker.Settings.Window
    private var calls: [Call] = []
    private(set) var failuresInARow = 0

    init(_ window: CircuitBreaker.Settings.Window) {
        self.window = window
    }

    mutating func add(isFailure: Bool, isSlow: Bool, at now: Instant) {
        failuresInARow = isFailure ? failuresInARow + 1 : 0
        calls.append(Call(isFailure: isFailure, isSlow: isSlow, end: now))
        switch window {
        case .calls(let count): if calls.count > count { calls.removeFirst(calls.count - count) }
        case .time(let span): calls.removeAll { $0.end.duration(to: now) > span }
        }
    }

    func opens(_ settings: CircuitBreaker.Settings, at now: Instant) -> Bool {
        if let limit = settings.consecutiveFailures, failuresInARow >= limit { return true }
        guard calls.count >= settings.minimumCalls else { return false }
        func share(_ isCounted: (Call) -> Bool) -> Double {
            Double(calls.count(where: isCounted)) / Double(calls.count)
        }
        if let rate = settings.failureRate, share({ $0.isFailure }) >= rate { return true }
        return settings.slowCall != nil && share { $0.isSlow } >= settings.slowCallRate
    }
}
