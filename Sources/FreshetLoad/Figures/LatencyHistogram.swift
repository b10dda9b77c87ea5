import Histogram

/// How often each latency occurred, in nanoseconds. Each bucket is at most 0.8 % wide, whatever the latency.
struct LatencyHistogram: Sendable {
    private var buckets = Histogram<UInt64>(numberOfSignificantValueDigits: .two)

    var count: Int { Int(buckets.totalCount) }
    var isEmpty: Bool { count == 0 }
    var mean: Double { buckets.mean }
    /// 0 if nothing was recorded.
    var shortest: Double { Double(buckets.min) }
    /// 0 if nothing was recorded.
    var longest: Double { Double(buckets.maxRecorded) }

    /// A latency below zero counts as zero.
    mutating func record(_ nanoseconds: Int64) {
        buckets.record(UInt64(max(0, nanoseconds)))
    }

    mutating func merge(_ other: LatencyHistogram) {
        buckets.add(other.buckets)
    }

    /// Returns the latency that the part `fraction` of all latencies does not exceed; `nil` if nothing was recorded.
    /// The shortest and the longest latency are exact.
    func percentile(_ fraction: Double) -> Double? {
        isEmpty ? nil : Double(buckets.valueAtPercentile(fraction * 100))
    }

    /// Counts the latencies between each two neighbours of `edges`, which are in ascending order. A bucket that
    /// contains an edge is counted where its middle lies.
    func counts(between edges: [Double]) -> [Int] {
        var result = [Int](repeating: 0, count: max(0, edges.count - 1))
        guard !result.isEmpty else { return [] }
        var index = 0
        for bucket in buckets.recordedValues() {
            let middle = min(max(Double(buckets.medianEquivalentForValue(bucket.value)), shortest), longest)
            while index < result.count - 1, middle >= edges[index + 1] { index += 1 }
            result[index] += Int(bucket.count)
        }
        return result
    }
}
