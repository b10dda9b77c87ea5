public import Dispatch
public import FreshetCore

/// Runs work on a serial dispatch queue, in order. Source: RxSwift's `SerialDispatchQueueScheduler`.
///
/// `leeway` is how late delayed work may run, to save power.
// Unchecked, because the class can have subclasses. All its properties are constant.
public class SerialDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
    public let queue: DispatchQueue
    public let leeway: DispatchTimeInterval

    /// Creates a scheduler over a serial queue. For another queue use ``init(queue:internalSerialQueueName:leeway:)``.
    public init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        queue = serialQueue.scheduling()
        self.leeway = leeway
    }

    /// Creates a scheduler over a new serial queue. `serialQueueConfiguration` can configure the queue before its first use.
    public convenience init(
        internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        let queue = DispatchQueue(label: internalSerialQueueName)
        serialQueueConfiguration?(queue)
        self.init(serialQueue: queue, leeway: leeway)
    }

    /// Creates a scheduler over a new serial queue, which runs its work on `queue`.
    public convenience init(
        queue: DispatchQueue, internalSerialQueueName: String, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        self.init(serialQueue: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway)
    }

    /// Creates a scheduler over a new serial queue, which runs its work on the global queue with the quality of service
    /// `qos`.
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

extension SerialDispatchQueueScheduler: ArrivalOrderScheduler {}
