import FreshetCore

/// Admits a number of requests in a time, and a burst after a pause.
struct TokenBucket: Sendable, Hashable {
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

    /// The time until a token is there; zero if one is.
    mutating func wait(at now: Instant) -> Duration {
        tokens = min(burst, tokens + last.duration(to: now) / .seconds(1) * rate)
        last = now
        // Rounding must not make the last part of a token take for ever.
        return tokens >= 1 - 1e-9 ? .zero : .seconds((1 - tokens) / rate)
    }

    mutating func take() { tokens -= 1 }

    /// Leaves one token at most, so that a pause is not followed by a burst.
    mutating func drain() { tokens = min(tokens, 0) }
}
