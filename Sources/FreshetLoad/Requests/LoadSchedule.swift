/// The times at which requests begin in an open loop: at equal intervals from the start.
struct LoadSchedule: Sendable {
    private let rate: Double
    private let offset: Double
    /// The total number of requests.
    let count: Int
    /// How long the run lasts, if its duration limits it and not the number of requests.
    let duration: Duration?

    /// - Parameter offset: when the first request begins, as a fraction of the interval. Workers have different
    ///   offsets, so that their requests alternate.
    init(rate: Double, requests: Int?, duration: Duration?, offset: Double = 0) {
        self.rate = rate
        self.offset = offset
        // The first request begins at 0, so one second at a rate of 10 has 10 requests.
        let inTime = duration.map { Int(saturating: ((($0 / .seconds(1)) * rate) - offset).rounded(.up)) }
        count = min(requests ?? .max, inTime.map { max(0, $0) } ?? .max)
        let isLimitedByNumber = requests == count
        self.duration = isLimitedByNumber ? nil : duration
    }

    /// The time after the start at which the request `index` begins.
    func time(of index: Int) -> Duration {
        .nanoseconds(Int(saturating: (Double(index) + offset) / rate * 1e9))
    }

    /// The number of requests that begin up to `time` after the start.
    func due(at time: Duration) -> Int {
        let begun = Int(saturating: (Double(time.wholeNanoseconds) * rate / 1e9 - offset).rounded(.down) + 1)
        return min(count, max(0, begun))
    }
}

extension Int {
    /// The integer part of `value`; the nearest integer if there is none, and 0 for NaN.
    fileprivate init(saturating value: Double) {
        self = Int(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
    }
}

extension Duration {
    /// The duration in whole nanoseconds. A longer one than 64 bits can count, 292 years, is shortened to 285 years.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = min(max(self, .seconds(-9_000_000_000)), .seconds(9_000_000_000)).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
