import FreshetCore

/// Admits a number of requests per second, and a burst after a pause.
struct TokenBucket: Sendable, Hashable {
    /// In seconds, 31 years. A timer for more is set again when it fires.
    static let longestWait = 1e9
    /// The lateness in seconds that counts. A longer one is a pause.
    private static let longestLateness = 0.02

    /// Per second.
    var rate: Double
    let burst: Double
    private var tokens: Double
    private var last: Instant
    /// The time at which the token that a caller waits for is available. A timer comes later, and at a high rate that would cost
    /// a good part of the rate.
    private var due: Instant?

    init(rate: Double, burst: Int, at now: Instant) {
        self.rate = rate
        self.burst = Double(max(1, burst))
        tokens = self.burst
        last = now
    }

    /// The time until a token is available; zero if one is.
    mutating func wait(at now: Instant) -> Duration {
        var lateness = due.map { $0.duration(to: now) / .seconds(1) } ?? 0
        if !(0...Self.longestLateness).contains(lateness) { lateness = 0 }
        let elapsed = last.duration(to: now) / .seconds(1)
        // More tokens than a burst are those of an earlier lateness, and serve those who still wait.
        tokens = min(max(burst + lateness * rate, tokens), tokens + elapsed * rate)
        last = now
        due = nil
        // A token counts as complete despite rounding errors, so that the wait ends.
        if tokens >= 1 - 1e-9 { return .zero }
        let wait = Duration.seconds(min((1 - tokens) / rate, Self.longestWait))
        due = now.advanced(by: wait)
        return wait
    }

    mutating func take() { tokens -= 1 }

    /// Ends the credit for late timers, because no caller waits any more. Later callers get a burst at most.
    mutating func endWait() {
        due = nil
        tokens = min(tokens, burst)
    }

    /// Removes the tokens, so that a pause is not followed by a burst.
    mutating func drain() { tokens = min(tokens, 0) }
}
