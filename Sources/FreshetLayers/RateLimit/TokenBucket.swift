import FreshetCore

/// Admits a number of requests per second, and a burst after a pause.
struct TokenBucket: Sendable, Hashable {
    /// In seconds, 31 years. A timer for more is set again when it fires.
    static let longestWait = 1e9

    /// Per second.
    var rate: Double
    let burst: Double
    private var tokens: Double
    private var last: Instant

    init(rate: Double, burst: Int, at now: Instant) {
        self.rate = rate
        self.burst = Double(max(1, burst))
        tokens = self.burst
        last = now
    }

    /// The time until a token is available; zero if one is.
    mutating func wait(at now: Instant) -> Duration {
        tokens = min(burst, tokens + last.duration(to: now) / .seconds(1) * rate)
        last = now
        // A token counts as complete despite rounding errors, so that the wait ends.
        return tokens >= 1 - 1e-9 ? .zero : .seconds(min((1 - tokens) / rate, Self.longestWait))
    }

    mutating func take() { tokens -= 1 }

    /// Removes the tokens, so that a pause is not followed by a burst.
    mutating func drain() { tokens = min(tokens, 0) }
}
