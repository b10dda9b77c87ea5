/// What happened when: answers, failures and latencies in spans of the same length, which doubles whenever there would be
/// too many of them.
struct LoadSeries: Sendable {
    struct Span: Sendable {
        var answers = 0
        var failures = 0
        var latency = LatencyHistogram(precision: 5)

        mutating func merge(_ other: Span) {
            answers += other.answers
            failures += other.failures
            latency.merge(other.latency)
        }
    }

    /// Even, so that pairs can be put together.
    private static let most = 240

    /// Nanoseconds.
    private(set) var width: Int64
    private(set) var spans: [Span] = []

    init(width: Int64 = 100_000_000) {
        self.width = width
    }

    /// Counts a request that ended `time` after the start, in nanoseconds.
    ///
    /// - Parameter latency: `nil` for one that has failed.
    mutating func record(at time: Int64, latency: Int64?) {
        var index = Int(max(0, time) / width)
        while index >= Self.most {
            coarsen()
            index = Int(max(0, time) / width)
        }
        while spans.count <= index { spans.append(Span()) }
        if let latency {
            spans[index].answers += 1
            spans[index].latency.record(latency)
        } else {
            spans[index].failures += 1
        }
    }

    /// Adds what another has counted since the same start.
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
