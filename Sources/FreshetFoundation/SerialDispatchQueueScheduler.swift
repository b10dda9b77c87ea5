public import Dispatch
public import FreshetCore

/// Runs work on a serial dispatch queue, in order. Source: RxSwift's `SerialDispatchQueueScheduler`.
public final class SerialDispatchQueueScheduler: SchedulerType {
    private let timer: DispatchTimer

    /// Over a serial queue; one that is not serial needs the other initializer.
    public init(serialQueue: DispatchQueue) {
        timer = DispatchTimer(queue: serialQueue)
    }

    /// Over a serial queue of its own, which runs its work on `queue`.
    public convenience init(queue: DispatchQueue, internalSerialQueueName: String) {
        self.init(serialQueue: DispatchQueue(label: internalSerialQueueName, target: queue))
    }

    /// Over a serial queue of its own.
    public convenience init(internalSerialQueueName: String) {
        self.init(serialQueue: DispatchQueue(label: internalSerialQueueName))
    }

    /// Over a serial queue of its own, of the quality `qos`.
    public convenience init(qos: DispatchQoS, internalSerialQueueName: String = "freshet.queue") {
        self.init(serialQueue: DispatchQueue(label: internalSerialQueueName, qos: qos))
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

    /// Turns that a busy queue has missed come as one; a period under a millisecond is one millisecond.
    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timer.schedule(state, startAfter: startAfter, period: period, action: action)
    }
}
