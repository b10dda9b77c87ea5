import FreshetCore

/// When the refresh endpoint may be asked again: not before it said so itself, nor for a while after several failures in a
/// row. When the while is over, the next refresh is the probe; as one runs at a time, there is one probe.
struct CircuitBreaker: Sendable {
    private let limits: RefreshGate.Settings.Breaker
    private let longestRetryAfter: Duration
    private(set) var failures = 0
    private(set) var restsUntil: Instant?
    /// The last failure, which those hear who come meanwhile.
    private(set) var failure: RefreshFailure?

    init(_ limits: RefreshGate.Settings.Breaker, longestRetryAfter: Duration) {
        self.limits = limits
        self.longestRetryAfter = longestRetryAfter
    }

    mutating func failed(with failure: RefreshFailure, retryAfter: Duration?, at now: Moment, chance: Double) {
        failures += 1
        self.failure = failure
        let asked = retryAfter.map { min($0, longestRetryAfter) } ?? .zero
        let pause = max(asked, pause(chance))
        restsUntil = pause > .zero ? now.monotonic.advanced(by: pause) : nil
    }

    private func pause(_ chance: Double) -> Duration {
        guard failures >= limits.failures else { return .zero }
        // Doubled so often the first pause has long passed any that is meant.
        let doublings = min(failures - limits.failures, 40)
        let longest = limits.longestPause / .seconds(1)
        return .seconds(min(limits.pause / .seconds(1) * Double(1 << doublings), longest) * (1 + chance) / 2)
    }

    mutating func succeeded() {
        failures = 0
        restsUntil = nil
        failure = nil
    }

    /// A sibling got what it asked for. What the endpoint said to this gate still holds.
    mutating func siblingSucceeded() { failures = 0 }

    /// What somebody hears who needs the endpoint now, if it is not to be asked.
    func refusal(at now: Moment) -> RefreshFailure? {
        guard let restsUntil, now.monotonic < restsUntil, let failure else { return nil }
        return .resting(failure.reason, wait: now.monotonic.duration(to: restsUntil), isDenied: failure.isDenied)
    }
}
