/// A span of time for schedulers. It is the standard library's `Duration`, so that `.seconds(1)` and `.milliseconds(5)`
/// mean the same as in RxSwift. Source: RxSwift's `RxTimeInterval`.
public typealias RxTimeInterval = Duration

extension RxTimeInterval {
    /// A duration of some centuries that stands for "never". It is short enough to be added to an ``Instant`` without overflow.
    public static var never: RxTimeInterval { .seconds(Int64(Int32.max) * 4) }
}

/// A point on a scheduler's clock. Points of different schedulers are not comparable: a loop counts from the start of
/// the machine, a virtual scheduler from its own zero.
// Computes with the attoseconds of the durations: the compiler inlines that, while the operators of `Duration` are calls.
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

/// A scheduler that runs work. Source: RxSwift's `ImmediateSchedulerType`.
@preconcurrency
public protocol ImmediateSchedulerType: Sendable {
    /// Runs `action` with `state`.
    ///
    /// - Returns: a disposable that cancels the action while it has not begun, and afterwards disposes of the
    ///   disposable that the action returned.
    @preconcurrency
    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable
}

/// A scheduler that runs work at a given time. Source: RxSwift's `SchedulerType`.
@preconcurrency
public protocol SchedulerType: ImmediateSchedulerType {
    /// The current time of the scheduler's clock. The library reads time only from here, never from the system.
    var now: Instant { get }

    /// Runs `action` once `dueTime` has passed.
    @preconcurrency
    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable

    /// Runs `action` after `startAfter` and then every `period`. Each run receives the state that the previous run returned.
    @preconcurrency
    func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable

    /// Calls `target` when `span` has passed, unless the deadline is canceled before. The scheduler keeps `target`
    /// alive until then.
    ///
    /// Deadlines are for timeouts that are set very often and nearly always canceled, such as the timeout of a request.
    /// The default implementation schedules a work item. A scheduler with a cheaper way implements both requirements.
    ///
    /// - Parameters:
    ///   - span: the time from `now` to the deadline.
    ///   - now: this scheduler's time, which the caller has just read.
    ///   - target: the object that this scheduler calls on its own thread.
    func setDeadline(after span: Duration, from now: Instant, for target: any DeadlineTarget) -> Deadline

    /// Cancels a deadline that was set on this scheduler. Does nothing if the deadline has passed or was canceled already.
    func cancel(_ deadline: Deadline)
}
