import Foundation

/// The latencies of a histogram in bins of equal width on a logarithmic scale, which begins at the shortest latency and
/// ends at the longest.
struct LatencyBins {
    /// In nanoseconds; one more than there are bins.
    let edges: [Double]
    let counts: [Int]

    init(_ histogram: LatencyHistogram, count: Int) {
        let low = max(1, Double(histogram.shortest))
        // A single latency gets a scale as well.
        let high = max(histogram.longest * 1.000001, low * 1.1)
        let step = log(high / low) / Double(count)
        edges = (0...count).map { low * exp(step * Double($0)) }
        counts = histogram.counts(between: edges)
    }
}
