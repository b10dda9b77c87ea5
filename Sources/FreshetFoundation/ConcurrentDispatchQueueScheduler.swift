public import Dispatch
import FreshetCore

/// Runs work on a concurrent dispatch queue, several pieces at once. Source: RxSwift's `ConcurrentDispatchQueueScheduler`.
///
/// Operators still keep the events of one stream in order. `leeway` is how late delayed work may run, to save power.
public final class ConcurrentDispatchQueueScheduler: DispatchQueueScheduler {
    public let queue: DispatchQueue
    public let leeway: DispatchTimeInterval

    /// Creates a scheduler over `queue`, which can also be a serial queue.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        self.queue = queue.scheduling()
        self.leeway = leeway
    }

    /// Creates a scheduler over a new queue with the quality of service `qos`.
    public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        let queue = DispatchQueue(label: "freshet.queue.concurrent", qos: qos, attributes: .concurrent)
        self.init(queue: queue, leeway: leeway)
    }
}
