public import Dispatch
public import Foundation
public import FreshetCore

/// A date. Source: RxSwift's `RxTime`.
///
/// Schedulers count in `Instant`s, which do not move when the clock of the system is set. A scheduler's `now` is also
/// available as a date, if the context requires one: `let date: RxTime = scheduler.now`.
public typealias RxTime = Date

extension SchedulerType {
    /// The current date. A scheduler in virtual time returns the date of its own clock. Source: RxSwift's `now`.
    public var now: RxTime {
        let instant: Instant = self.now
        return self is any SteppingScheduler ? RxTime(instant: instant) : RxTime()
    }
}

/// Converts a date to the time since 1970, where virtual clocks begin.
extension Date: InstantConvertible {
    private static let reference = Duration.seconds(Date.timeIntervalBetween1970AndReferenceDate)

    public init(instant: Instant) {
        self.init(timeIntervalSinceReferenceDate: TimeInterval(instant.sinceStart - Self.reference))
    }

    public var instant: Instant {
        Instant(sinceStart: .seconds(timeIntervalSinceReferenceDate) + Self.reference)
    }
}

/// Methods with the names of `Date`, for code that calculates with a scheduler's `now`.
extension Instant {
    /// The time from `other` to this instant, in seconds. It is negative if `other` is later.
    public func timeIntervalSince(_ other: Instant) -> TimeInterval {
        TimeInterval(other.duration(to: self))
    }

    public func addingTimeInterval(_ timeInterval: TimeInterval) -> Instant {
        advanced(by: .seconds(timeInterval))
    }
}

extension TimeInterval {
    /// The length of `duration` in seconds, up to the range of 64-bit integers.
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = min(max(duration, .seconds(Int64.min)), .seconds(Int64.max)).components
        self = TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18
    }
}

extension RxTimeInterval {
    /// Converts an interval of Dispatch.
    public init(_ interval: DispatchTimeInterval) {
        switch interval {
        case .seconds(let count): self = .seconds(count)
        case .milliseconds(let count): self = .milliseconds(count)
        case .microseconds(let count): self = .microseconds(count)
        case .nanoseconds(let count): self = .nanoseconds(count)
        case .never: self = .never
        @unknown default: self = .never
        }
    }
}
