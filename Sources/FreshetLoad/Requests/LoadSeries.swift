/// Responses, failures and latencies over time, in spans of equal width. The width doubles whenever there would be too many
/// spans.
struct LoadSeries: Sendable {
    struct Span: Sendable {
        var responses = 0
        var failures = 0
        var latency = LatencyHistogram()

        mutating func merge(_ other: Span) {
            responses += other.responses
            failures += other.failures
            latency.merge(other.latency)
        }
    }

    /// The number is even, so that each span has a neighbour with which it can be merged.
    private static let maximumSpans = 240

    /// The width of a span in nanoseconds.
    private(set) var width: Int64
    private(set) var spans: [Span] = []

    init(width: Int64 = 100_000_000) {
        self.width = width
    }

    /// Counts a request that ended `time` after the start, in nanoseconds.
    ///
    /// - Parameter latency: `nil` for a request that failed.
    mutating func record(at time: Int64, latency: Int64?) {
        var index = Int(max(0, time) / width)
        while index >= Self.maximumSpans {
            coarsen()
            index = Int(max(0, time) / width)
        }
        while spans.count <= index { spans.append(Span()) }
        if let latency {
            spans[index].responses += 1
            spans[index].latency.record(latency)
        } else {
            spans[index].failures += 1
        }
    }

    /// Adds the counts of another series with the same start.
    mutating func merge(_ other: LoadSeries) {
        var other = other
        while other.width < width { other.coarsen() }
        while width < other.width { coarsen() }
        while spans.count < other.spans.count { spans.append(Span()) }
        for (index, span) in other.spans.enumerated() { spans[index].merge(span) }
    }

    private mutating func coarsen() {
        width *= 2
        spans = stride(from: 0, to: spans.count, by: 2).map { index in
            var span = spans[index]
            if index + 1 < spans.count { span.merge(spans[index + 1]) }
            return span
        }
    }
}
