import FreshetCore

/// The latencies of the last requests to a server, and their percentile.
struct LatencyWindow: Sendable {
    private static let capacity = 200
    /// The percentile is computed again after this many new latencies. Sorting for each request would cost more than it is worth.
    private static let refreshInterval = 10

    private let percentile: Double
    private let minimumCount: Int
    private var latencies: [Duration] = []
    private var next = 0
    private var added = 0
    /// The percentile; `nil` while too few latencies are known.
    private(set) var threshold: Duration?

    init(percentile: Double, minimumCount: Int) {
        self.percentile = percentile.isNaN ? 1 : min(max(percentile, 0), 1)
        self.minimumCount = minimumCount
    }

    mutating func add(_ latency: Duration) {
        if latencies.count < Self.capacity {
            latencies.append(latency)
        } else {
            latencies[next] = latency
            next = (next + 1) % Self.capacity
        }
        added += 1
        if threshold == nil || added >= Self.refreshInterval { compute() }
    }

    private mutating func compute() {
        guard latencies.count >= minimumCount else { return }
        added = 0
        let sorted = latencies.sorted()
        threshold = sorted[min(sorted.count - 1, Int(Double(sorted.count) * percentile))]
    }
}
