/// What a ``VirtualTimeScheduler`` counts in, and how that relates to time. Source: RxSwift's `VirtualTimeConverterType`.
///
/// The functions are asked from any thread, and under the scheduler's lock: they compute, and do nothing else.
public protocol VirtualTimeConverterType {
    /// A point on the virtual clock.
    associatedtype VirtualTimeUnit
    /// The distance between two points.
    associatedtype VirtualTimeIntervalUnit
    /// What stands for a point of time outside: ``Instant``, or `RxTime` as in RxSwift.
    associatedtype Time: InstantConvertible

    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> Time
    func convertToVirtualTime(_ time: Time) -> VirtualTimeUnit

    /// In seconds.
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> Double
    /// From seconds.
    func convertToVirtualTimeInterval(_ timeInterval: Double) -> VirtualTimeIntervalUnit

    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit

    /// The order of virtual times: scheduled work runs in it.
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// How two virtual times relate. Source: RxSwift's `VirtualTimeComparison`.
public enum VirtualTimeComparison: Sendable {
    case lessThan
    case equal
    case greaterThan
}

/// A type of its own for the points of a scheduler's clock.
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
