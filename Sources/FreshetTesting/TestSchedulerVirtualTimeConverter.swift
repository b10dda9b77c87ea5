public import FreshetCore

/// Converts between time and the virtual time of a ``TestScheduler``, which counts whole units of `resolution` seconds.
/// Source: RxTest's `TestSchedulerVirtualTimeConverter`.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType, Sendable {
    public typealias VirtualTimeUnit = TestTime
    public typealias VirtualTimeIntervalUnit = TestTime

    private let resolution: Double

    /// - Parameter resolution: the length of one unit in seconds. It must be above zero.
    public init(resolution: Double) {
        precondition(resolution > 0, "TestScheduler needs a resolution above zero")
        self.resolution = resolution
    }

    public func convertFromVirtualTime(_ virtualTime: TestTime) -> Instant {
        Instant(sinceStart: Self.inRange(.seconds(min(max(convertFromVirtualTimeInterval(virtualTime), -1e19), 1e19))))
    }

    public func convertToVirtualTime(_ time: Instant) -> TestTime {
        let (seconds, attoseconds) = Self.inRange(time.sinceStart).components
        return convertToVirtualTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }

    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TestTime) -> Double {
        Double(virtualTimeInterval) * resolution
    }

    /// Returns the nearest unit. An interval beyond ±2⁶⁰ units becomes ±2⁶⁰ units.
    public func convertToVirtualTimeInterval(_ timeInterval: Double) -> TestTime {
        let units = (timeInterval / resolution + 0.5).rounded(.down)
        return abs(units) < Self.farAway ? TestTime(units) : TestTime(units < 0 ? -Self.farAway : Self.farAway)
    }

    /// Returns the sum. A time beyond the range of integers becomes the end of that range.
    public func offsetVirtualTime(_ time: TestTime, offset: TestTime) -> TestTime {
        let (sum, isTooFar) = time.addingReportingOverflow(offset)
        return isTooFar ? (offset < 0 ? .min : .max) : sum
    }

    public func compareVirtualTime(_ lhs: TestTime, _ rhs: TestTime) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
    }

    /// Limits a time to one whose seconds fit into an integer.
    private static func inRange(_ time: Duration) -> Duration {
        min(max(time, .seconds(-9_000_000_000_000_000_000)), .seconds(9_000_000_000_000_000_000))
    }

    // The limit leaves room to add offsets without an overflow.
    private static let farAway = 0x1p60
}
