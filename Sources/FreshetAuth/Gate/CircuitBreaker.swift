import FreshetCore

/// Decides when the refresh endpoint may be asked again: not before the time that the endpoint has named, and not during a pause
/// after several failures in a row. The first refresh after the pause is the probe. Only one refresh runs at a time, so there is
/// only one probe.
struct CircuitBreaker: Sendable {
    private let limits: RefreshGate.Settings.Breaker
    private let longestRetryAfter: Duration
    private(set) var failures = 0
    private(set) var restsUntil: Instant?
    /// The last failure, which requests receive during the pause.
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
        // The limit keeps the shift from overflowing. 40 doublings exceed any useful `longestPause`.
        let doublings = min(failures - limits.failures, 40)
        let longest = limits.longestPause / .seconds(1)
        return .seconds(min(limits.pause / .seconds(1) * Double(1 << doublings), longest) * (1 + chance) / 2)
    }

    mutating func succeeded() {
        failures = 0
        restsUntil = nil
        failure = nil
    }

    /// Resets the count of failures, because another gate or process has refreshed. A pause that the endpoint asked for still
    /// holds.
    mutating func siblingSucceeded() { failures = 0 }

    /// Returns the failure of a request that needs the endpoint during a pause; `nil` if the endpoint may be asked.
    func refusal(at now: Moment) -> RefreshFailure? {
        guard let restsUntil, now.monotonic < restsUntil, let failure else { return nil }
        return .resting(failure.reason, wait: now.monotonic.duration(to: restsUntil), isDenied: failure.isDenied)
    }
}
