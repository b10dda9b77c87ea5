public import Foundation
public import FreshetCore

/// Runs work as operations, as many at once as the queue allows. Source: RxSwift's `OperationQueueScheduler`.
///
/// It has no clock, so operators that depend on time need another scheduler.
public final class OperationQueueScheduler: ImmediateSchedulerType {
    public let operationQueue: OperationQueue
    /// The priority of the scheduler's operations among those that wait.
    public let queuePriority: Operation.QueuePriority

    public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
        self.operationQueue = operationQueue
        self.queuePriority = queuePriority
    }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        let operation = BlockOperation { item.invoke() }
        operation.queuePriority = queuePriority
        operationQueue.addOperation(operation)
        // A disposed operation stays in the queue until its turn and then does nothing.
        return item
    }
}
