import FreshetCore

/// What hedging knows of an origin.
struct HedgingOrigin: Sendable {
    private var latencies: LatencyWindow
    private var end: Instant?

    init(_ latencies: LatencyWindow) {
        self.latencies = latencies
    }

    mutating func add(_ latency: Duration) { latencies.add(latency) }

    /// No second attempts for this time: the server has too much to do.
    mutating func pause(for duration: Duration, at now: Instant) {
        let end = now.advanced(by: duration)
        self.end = max(self.end ?? end, end)
    }

    /// How long to wait for the first response; `nil` if there is no second attempt.
    func delay(at now: Instant) -> Duration? {
        if let end, now < end { return nil }
        return latencies.threshold
    }
}
