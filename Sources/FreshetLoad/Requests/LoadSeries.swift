/// Responses, failures and latencies over time, in spans of equal width. The width doubles whenever there would be too many
/// spans.
struct LoadSeries: Sendable {
    struct Span: Sendable {
        var responses = 0
        var failures = 0
        /// The latencies of all responses, including those that count as failures.
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
    /// - Parameters:
    ///   - latency: `nil` for a request without a response.
    ///   - isFailure: whether the request failed, for example because of the status of its response.
    mutating func record(at time: Int64, latency: Int64?, isFailure: Bool) {
        let index = extend(to: time)
        if isFailure { spans[index].failures += 1 } else { spans[index].responses += 1 }
        if let latency { spans[index].latency.record(latency) }
    }

    /// Adds empty spans up to the one that contains `time`, and returns its index.
    @discardableResult
    mutating func extend(to time: Int64) -> Int {
        while max(0, time) / width >= Self.maximumSpans { coarsen() }
        let index = Int(max(0, time) / width)
        while spans.count <= index { spans.append(Span()) }
        return index
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
