/// The number of open streams and the memory of the process over time. The time between samples doubles whenever there
/// would be too many of them.
struct StreamSeries: Sendable {
    struct Sample: Sendable {
        /// Seconds since the start.
        var time: Double
        var open: Int
        var failed: Int
        /// The resident set, in kB.
        var resident: Int
    }

    private static let maximumSamples = 240

    private(set) var samples: [Sample] = []
    /// The time from one sample to the next.
    private(set) var distance: Duration

    init(distance: Duration = .milliseconds(20)) {
        self.distance = distance
    }

    mutating func record(_ sample: Sample) {
        if samples.count >= Self.maximumSamples {
            samples = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            distance = distance * 2
        }
        samples.append(sample)
    }
}
