import FreshetCore

extension CircuitBreaker {
    /// When a circuit breaker opens, and for how long. A number of failures, probes, or calls in a window counts as at least 1.
    public struct Settings: Sendable, Hashable {
        /// The calls whose outcomes count.
        public enum Window: Sendable, Hashable {
            /// This many of the last calls.
            case calls(Int)
            /// The calls that ended within this time. Calls that ended within a tenth of it leave the window together.
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
        /// The shares count only when the window has at least this many calls, or is full because it is one of fewer calls. The
        /// share of failures needs this many calls that were not cancelled, or half of them in a full window of calls.
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
