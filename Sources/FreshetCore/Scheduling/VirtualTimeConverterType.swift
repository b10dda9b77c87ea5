/// The unit of a ``VirtualTimeScheduler``, and its conversion to and from time.
///
/// The scheduler calls these functions on any thread and under its lock. An implementation computes the result and does
/// nothing else. Source: RxSwift's `VirtualTimeConverterType`.
public protocol VirtualTimeConverterType {
    /// A point on the virtual clock.
    associatedtype VirtualTimeUnit
    /// The distance between two points.
    associatedtype VirtualTimeIntervalUnit
    /// The type of a point in time outside the scheduler: ``Instant``, or `RxTime` as in RxSwift.
    associatedtype Time: InstantConvertible

    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> Time
    func convertToVirtualTime(_ time: Time) -> VirtualTimeUnit

    /// Returns the interval in seconds.
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> Double
    /// Returns the interval for a number of seconds.
    func convertToVirtualTimeInterval(_ timeInterval: Double) -> VirtualTimeIntervalUnit

    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit

    /// Compares two virtual times. Scheduled work runs in this order.
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// The result of a comparison of two virtual times. Source: RxSwift's `VirtualTimeComparison`.
public enum VirtualTimeComparison: Sendable {
    case lessThan
    case equal
    case greaterThan
}

/// A type that represents points on a scheduler's clock.
public protocol InstantConvertible {
    init(instant: Instant)
    var instant: Instant { get }
}

extension Instant: InstantConvertible {
    public init(instant: Instant) {
        self = instant
    }

    public var instant: Instant { self }
}
