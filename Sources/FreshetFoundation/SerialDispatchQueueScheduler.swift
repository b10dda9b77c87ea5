public import Dispatch
public import FreshetCore

/// Runs work on a serial dispatch queue, in order. Source: RxSwift's `SerialDispatchQueueScheduler`.
///
/// `leeway` is how much later than its time delayed work may run, to save power.
// Unchecked, for a class with a subclass: everything it has is constant.
public class SerialDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
    public let queue: DispatchQueue
    public let leeway: DispatchTimeInterval

    /// Over a serial queue; one that is not serial needs ``init(queue:internalSerialQueueName:leeway:)``.
    public init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        queue = serialQueue.scheduling()
        self.leeway = leeway
    }

    /// Over a serial queue of its own, which `serialQueueConfiguration` may change before it is used.
    public convenience init(
        internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        let queue = DispatchQueue(label: internalSerialQueueName)
        serialQueueConfiguration?(queue)
        self.init(serialQueue: queue, leeway: leeway)
    }

    /// Over a serial queue of its own, which runs its work on `queue`.
    public convenience init(
        queue: DispatchQueue, internalSerialQueueName: String, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        self.init(serialQueue: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway)
    }

    /// Over a serial queue of its own, which runs its work on the global queue of the quality `qos`.
    public convenience init(
        qos: DispatchQoS, internalSerialQueueName: String = "freshet.queue.serial",
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        self.init(
            queue: .global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName, leeway: leeway)
    }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        enqueue(state, action)
    }
}
