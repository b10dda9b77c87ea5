/// The times at which requests begin in an open loop: at equal distances, from the start on.
struct LoadSchedule: Sendable {
    private let rate: Double
    private let offset: Double
    /// How many requests begin in all.
    let count: Int

    /// - Parameter offset: when the first request begins, as a fraction of the distance between two. Workers have different
    ///   offsets, so that their requests alternate.
    init(rate: Double, requests: Int?, duration: Duration?, offset: Double = 0) {
        self.rate = rate
        self.offset = offset
        // One begins at zero, so a second at a rate of 10 has 10.
        let inTime = duration.map { Int(((($0 / .seconds(1)) * rate) - offset).rounded(.up)) }
        count = min(requests ?? .max, inTime.map { max(0, $0) } ?? .max)
    }

    /// When the request `index` begins, after the start.
    func time(of index: Int) -> Duration {
        .nanoseconds(Int64((Double(index) + offset) / rate * 1e9))
    }

    /// How many requests begin up to `time` after the start.
    func due(at time: Duration) -> Int {
        let begun = Int((Double(time.wholeNanoseconds) * rate / 1e9 - offset).rounded(.down)) + 1
        return min(count, max(0, begun))
    }
}

extension Duration {
    /// The range of 64 bits is 292 years.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }
}
