/// A span of time, as schedulers take it. Source: RxSwift's `RxTimeInterval`, here the standard library's `Duration`,
/// so that `.seconds(1)` and `.milliseconds(5)` mean the same.
public typealias RxTimeInterval = Duration

extension RxTimeInterval {
    /// Longer than anybody waits: some centuries, so that points of time can still be counted with it.
    public static var never: RxTimeInterval { .seconds(Int64(Int32.max) * 4) }
}

/// A point on a scheduler's clock. Points of different schedulers do not compare: a loop counts from the start of the
/// machine, a virtual scheduler from its own zero.
// Reckons with the attoseconds that a duration is made of: that is done in place, where a duration's own operators are calls.
public struct Instant: InstantProtocol, Hashable, Sendable {
    /// The time since the clock's zero.
    public let sinceStart: Duration

    @inlinable
    public init(sinceStart: Duration) {
        self.sinceStart = sinceStart
    }

    @inlinable
    public func advanced(by duration: Duration) -> Instant {
        Instant(sinceStart: Duration(attoseconds: sinceStart.attoseconds + duration.attoseconds))
    }

    @inlinable
    public func duration(to other: Instant) -> Duration {
        Duration(attoseconds: other.sinceStart.attoseconds - sinceStart.attoseconds)
    }

    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool {
        left.sinceStart.attoseconds < right.sinceStart.attoseconds
    }
}

/// Where work runs. Source: RxSwift's `ImmediateSchedulerType`.
@preconcurrency
public protocol ImmediateSchedulerType: Sendable {
    /// Runs `action` with `state`.
    ///
    /// - Returns: what cancels the action while it has not begun, and afterwards disposes of what the action returned.
    @preconcurrency
    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable
}

/// Where and when work runs. Source: RxSwift's `SchedulerType`.
@preconcurrency
public protocol SchedulerType: ImmediateSchedulerType {
    /// The scheduler's clock. Time comes from here alone, never from the system.
    var now: Instant { get }

    /// Runs `action` once `dueTime` has passed.
    @preconcurrency
    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable

    /// Runs `action` after `startAfter` and then every `period`, each time with the state that it returned before.
    @preconcurrency
    func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable

    /// Tells `target`, which is held until then, once `span` has passed, unless the deadline is canceled before.
    ///
    /// For what is set very often and nearly always canceled, as the timeout of a request. The default schedules a piece of
    /// work; a scheduler that can do it for less implements both requirements.
    ///
    /// - Parameters:
    ///   - span: how long from `now`.
    ///   - now: this scheduler's time, as the caller has just read it.
    ///   - target: is told on this scheduler.
    func setDeadline(after span: Duration, from now: Instant, for target: any DeadlineTarget) -> Deadline

    /// Cancels a deadline that was set here. One that has passed, or was canceled already, is left alone.
    func cancel(_ deadline: Deadline)
}
