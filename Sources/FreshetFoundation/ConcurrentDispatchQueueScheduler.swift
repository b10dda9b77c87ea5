public import Dispatch
public import FreshetCore

/// Runs work on a concurrent dispatch queue, several pieces at once. Source: RxSwift's `ConcurrentDispatchQueueScheduler`.
///
/// Operators keep the events of one stream in order on it all the same.
public final class ConcurrentDispatchQueueScheduler: SchedulerType {
    private let timer: DispatchTimer

    public init(queue: DispatchQueue) {
        timer = DispatchTimer(queue: queue)
    }

    /// Over a queue of its own, of the quality `qos`.
    public convenience init(qos: DispatchQoS) {
        self.init(queue: DispatchQueue(label: "freshet.queue.concurrent", qos: qos, attributes: .concurrent))
    }

    public var now: Instant { DispatchTimer.now }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        timer.schedule(state, action: action)
    }

    @preconcurrency
    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        timer.schedule(state, dueTime: dueTime, action: action)
    }

    /// Turns of one piece of work never overlap; a period under a millisecond is one millisecond.
    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timer.schedule(state, startAfter: startAfter, period: period, action: action)
    }
}
