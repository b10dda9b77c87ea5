import Foundation

/// Sorts the latencies of a histogram into bins of equal width on a logarithmic scale. The scale begins at the shortest
/// latency and ends at the longest.
struct LatencyBins {
    /// The edges in nanoseconds. There is one more edge than bins.
    let edges: [Double]
    let counts: [Int]

    init(_ histogram: LatencyHistogram, count: Int) {
        let low = max(1, Double(histogram.shortest))
        // The scale has a width even if there is only one latency.
        let high = max(histogram.longest * 1.000001, low * 1.1)
        let step = log(high / low) / Double(count)
        edges = (0...count).map { low * exp(step * Double($0)) }
        counts = histogram.counts(between: edges)
    }
}
