/// How often each latency came, in buckets whose width grows with the latency: each value is known to a constant
/// relative error, however many there are and however far apart. Values are nanoseconds.
///
/// Up to 2 ^ (`precision` + 1) a bucket is one nanosecond wide; above, each power of two has 2 ^ `precision` buckets. With
/// 6 the error is at most 0.8 %, and all latencies up to two hours take 10 KB.
struct LatencyHistogram: Sendable {
    /// What is longer is counted as this: about two hours.
    private static let longest = (UInt64(1) << 43) - 1

    private let precision: Int
    private var counts: [UInt32]
    private(set) var count = 0
    private(set) var shortest = UInt64.max
    private(set) var longest: UInt64 = 0
    private var sum = 0.0

    init(precision: Int = 6) {
        self.precision = precision
        counts = []
        counts = [UInt32](repeating: 0, count: index(of: Self.longest) + 1)
    }

    var isEmpty: Bool { count == 0 }

    /// Nanoseconds; 0 without any.
    var mean: Double { count == 0 ? 0 : sum / Double(count) }

    mutating func record(_ nanoseconds: Int64) {
        let value = min(UInt64(max(0, nanoseconds)), Self.longest)
        add(1, to: index(of: value))
        count += 1
        sum += Double(value)
        if value < shortest { shortest = value }
        if value > longest { longest = value }
    }

    /// Adds what another of the same precision has counted.
    mutating func merge(_ other: LatencyHistogram) {
        precondition(precision == other.precision, "histograms of different precision were merged")
        for (index, more) in other.counts.enumerated() where more > 0 { add(more, to: index) }
        count += other.count
        sum += other.sum
        shortest = min(shortest, other.shortest)
        longest = max(longest, other.longest)
    }

    /// The latency, in nanoseconds, that `fraction` of all do not exceed; `nil` without any.
    func percentile(_ fraction: Double) -> Double? {
        guard count > 0 else { return nil }
        let rank = min(count, max(1, Int((fraction * Double(count)).rounded(.up))))
        // The ends are known exactly.
        if rank == count { return Double(longest) }
        if rank == 1 { return Double(shortest) }
        var seen = 0
        for (index, count) in counts.enumerated() {
            seen += Int(count)
            if seen >= rank {
                let (low, width) = bucket(index)
                return min(max(Double(low) + Double(width - 1) / 2, Double(shortest)), Double(longest))
            }
        }
        return Double(longest)
    }

    /// How many fell between each two neighbours of `edges`, which ascend; a bucket that an edge cuts is counted where its
    /// middle lies.
    func counts(between edges: [Double]) -> [Int] {
        var result = [Int](repeating: 0, count: max(0, edges.count - 1))
        guard !result.isEmpty else { return [] }
        var place = 0
        for (index, count) in counts.enumerated() where count > 0 {
            let (low, width) = bucket(index)
            let middle = min(max(Double(low) + Double(width - 1) / 2, Double(shortest)), Double(longest))
            while place < result.count - 1, middle >= edges[place + 1] { place += 1 }
            result[place] += Int(count)
        }
        return result
    }

    // MARK: Buckets

    /// A bucket that is full stays so: no run is as long.
    private mutating func add(_ more: UInt32, to index: Int) {
        let (sum, isFull) = counts[index].addingReportingOverflow(more)
        counts[index] = isFull ? .max : sum
    }

    private func index(of value: UInt64) -> Int {
        let shift = 63 - (value | 1).leadingZeroBitCount - precision
        return shift <= 0 ? Int(value) : (shift << precision) + Int(value >> UInt64(shift))
    }

    private func bucket(_ index: Int) -> (low: UInt64, width: UInt64) {
        let shift = (index >> precision) - 1
        guard shift > 0 else { return (UInt64(index), 1) }
        return (UInt64(index - (shift << precision)) << UInt64(shift), 1 << UInt64(shift))
    }
}
