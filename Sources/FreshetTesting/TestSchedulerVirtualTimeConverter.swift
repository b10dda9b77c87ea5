public import FreshetCore

/// Converts between time and the virtual time of a ``TestScheduler``, which counts whole units of `resolution` seconds.
/// Source: RxTest's `TestSchedulerVirtualTimeConverter`.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType, Sendable {
    public typealias VirtualTimeUnit = TestTime
    public typealias VirtualTimeIntervalUnit = TestTime

    /// The length of one unit in nanoseconds.
    private let nanoseconds: Double
    /// The length of one unit in attoseconds.
    private let attoseconds: Int128

    /// - Parameter resolution: the length of one unit in seconds. It must be above zero.
    public init(resolution: Double) {
        precondition(resolution > 0, "TestScheduler needs a resolution above zero")
        let nanoseconds = min(resolution * 1e9, 9e27)
        let whole = nanoseconds.rounded()
        // 0.001 and most other fractions have no exact `Double`, so a time computed from it could be later than the time meant.
        let isWhole = abs(nanoseconds - whole) <= 2 * nanoseconds.ulp
        self.nanoseconds = isWhole ? whole : nanoseconds
        attoseconds = isWhole ? Int128(whole) * 1_000_000_000 : max(1, Int128((nanoseconds * 1e9).rounded()))
    }

    /// Returns the time. It is exact if the resolution is a whole number of nanoseconds.
    public func convertFromVirtualTime(_ virtualTime: TestTime) -> Instant {
        let (time, isTooFar) = Int128(virtualTime).multipliedReportingOverflow(by: attoseconds)
        let nearest = isTooFar ? (virtualTime < 0 ? .min : .max) : time
        return Instant(sinceStart: Duration(attoseconds: min(max(nearest, -Self.endOfTime), Self.endOfTime)))
    }

    /// Returns the nearest unit. A time beyond ±2⁶⁰ units becomes ±2⁶⁰ units.
    public func convertToVirtualTime(_ time: Instant) -> TestTime {
        var (units, rest) = time.sinceStart.attoseconds.quotientAndRemainder(dividingBy: attoseconds)
        if rest >= attoseconds - rest { units += 1 } else if rest < -attoseconds - rest { units -= 1 }
        return TestTime(min(max(units, -Self.farAway), Self.farAway))
    }

    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TestTime) -> Double {
        Double(virtualTimeInterval) * nanoseconds / 1e9
    }

    /// Returns the nearest unit. An interval beyond ±2⁶⁰ units becomes ±2⁶⁰ units.
    public func convertToVirtualTimeInterval(_ timeInterval: Double) -> TestTime {
        let units = (timeInterval * 1e9 / nanoseconds + 0.5).rounded(.down)
        let farAway = Double(Self.farAway)
        return abs(units) < farAway ? TestTime(units) : TestTime(units < 0 ? -farAway : farAway)
    }

    /// Returns the sum. A time beyond the range of integers becomes the end of that range.
    public func offsetVirtualTime(_ time: TestTime, offset: TestTime) -> TestTime {
        let (sum, isTooFar) = time.addingReportingOverflow(offset)
        return isTooFar ? (offset < 0 ? .min : .max) : sum
    }

    public func compareVirtualTime(_ lhs: TestTime, _ rhs: TestTime) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
    }

    // The limit leaves room to add offsets without an overflow.
    private static let farAway: Int128 = 1 << 60
    /// In attoseconds. The seconds of a duration have to fit into an integer.
    private static let endOfTime = Int128(9_000_000_000_000_000_000) * 1_000_000_000_000_000_000
}
