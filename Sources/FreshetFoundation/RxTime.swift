public import Dispatch
public import Foundation
public import FreshetCore

/// A point of time by the calendar. Source: RxSwift's `RxTime`.
///
/// Schedulers count in `Instant`s, which no clock change moves. A scheduler's `now` can be had as a date too, where the
/// context asks for one: `let date: RxTime = scheduler.now`.
public typealias RxTime = Date

extension SchedulerType {
    /// The date: for virtual time the one that its clock shows, else today's. Source: RxSwift's `now`.
    public var now: RxTime {
        let instant: Instant = self.now
        return self is any SteppingScheduler ? RxTime(instant: instant) : RxTime()
    }
}

/// A date as the time since 1970, which is the zero of virtual clocks.
extension Date: InstantConvertible {
    private static let reference = Duration.seconds(Date.timeIntervalBetween1970AndReferenceDate)

    public init(instant: Instant) {
        self.init(timeIntervalSinceReferenceDate: TimeInterval(instant.sinceStart - Self.reference))
    }

    public var instant: Instant {
        Instant(sinceStart: .seconds(timeIntervalSinceReferenceDate) + Self.reference)
    }
}

/// `Date`'s words, for code that counts from a scheduler's `now`.
extension Instant {
    /// In seconds; negative, if `other` is later.
    public func timeIntervalSince(_ other: Instant) -> TimeInterval {
        TimeInterval(other.duration(to: self))
    }

    public func addingTimeInterval(_ timeInterval: TimeInterval) -> Instant {
        advanced(by: .seconds(timeInterval))
    }
}

extension TimeInterval {
    /// In seconds.
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18
    }
}

extension RxTimeInterval {
    /// The same span, for code that has one in dispatch's type.
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
