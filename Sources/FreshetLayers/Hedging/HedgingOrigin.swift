import FreshetCore

/// The latencies of an origin, and whether it gets second attempts.
struct HedgingOrigin: Sendable {
    private var latencies: LatencyWindow
    private var pauseEnd: Instant?

    init(_ latencies: LatencyWindow) {
        self.latencies = latencies
    }

    mutating func add(_ latency: Duration) { latencies.add(latency) }

    /// Allows no second attempts for this time, because the server is overloaded.
    mutating func pause(for duration: Duration, at now: Instant) {
        let end = now.advanced(by: duration)
        pauseEnd = max(pauseEnd ?? end, end)
    }

    /// How long to wait for the first response; `nil` if there is no second attempt.
    func delay(at now: Instant) -> Duration? {
        if let pauseEnd, now < pauseEnd { return nil }
        return latencies.threshold
    }
}
