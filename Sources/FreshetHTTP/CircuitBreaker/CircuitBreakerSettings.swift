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
        /// The share of failures in the window that opens the breaker; `nil` for none. A call that is cancelled has no part in it.
        public var failureRate: Double? = 0.5
        /// A call whose response takes at least this long to begin is slow, also one that is cancelled after this time, for
        /// example by the timeout of its request; `nil` if no call counts as slow.
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
        let outcome: CircuitBreaker.Outcome
        let isSlow: Bool
        let end: Instant
    }

    private let window: CircuitBreaker.Settings.Window
    /// The oldest call comes first. The first `expired` ones have left the window, and are removed now and then.
    private var calls: [Call] = []
    private var expired = 0
    private var failures = 0
    private var slowCalls = 0
    private var cancelledCalls = 0
    private(set) var failuresInARow = 0

    init(_ window: CircuitBreaker.Settings.Window) {
        self.window = window
    }

    private var count: Int { calls.count - expired }

    mutating func add(_ outcome: CircuitBreaker.Outcome, isSlow: Bool, at now: Instant) {
        switch outcome {
        case .success: failuresInARow = 0
        case .failure: failuresInARow += 1
        case .none: break
        }
        let call = Call(outcome: outcome, isSlow: isSlow, end: now)
        calls.append(call)
        tally(call, 1)
        while count > 0, hasLeft(calls[expired], at: now) {
            tally(calls[expired], -1)
            expired += 1
        }
        if expired > count {
            calls.removeFirst(expired)
            expired = 0
        }
    }

    private func hasLeft(_ call: Call, at now: Instant) -> Bool {
        switch window {
        case .calls(let limit): count > limit
        case .time(let span): call.end.duration(to: now) > span
        }
    }

    private mutating func tally(_ call: Call, _ change: Int) {
        if call.outcome == .failure { failures += change }
        if call.outcome == .none { cancelledCalls += change }
        if call.isSlow { slowCalls += change }
    }

    func opens(_ settings: CircuitBreaker.Settings) -> Bool {
        if let limit = settings.consecutiveFailures, failuresInARow >= limit { return true }
        if let rate = settings.failureRate,
            reaches(rate, failures, of: count - cancelledCalls, minimum: settings.minimumCalls)
        {
            return true
        }
        return settings.slowCall != nil
            && reaches(settings.slowCallRate, slowCalls, of: count, minimum: settings.minimumCalls)
    }

    private func reaches(_ rate: Double, _ part: Int, of all: Int, minimum: Int) -> Bool {
        all > 0 && all >= minimum && Double(part) / Double(all) >= rate
    }
}
