public import Dispatch
import FreshetCore

/// Runs work on a concurrent dispatch queue, several pieces at once. Source: RxSwift's `ConcurrentDispatchQueueScheduler`.
///
/// Operators keep the events of one stream in order on it all the same. `leeway` is how much later than its time delayed
/// work may run, to save power.
public final class ConcurrentDispatchQueueScheduler: DispatchQueueScheduler {
    public let queue: DispatchQueue
    public let leeway: DispatchTimeInterval

    /// Over `queue`, which may also be a serial one.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        self.queue = queue.scheduling()
        self.leeway = leeway
    }

    /// Over a queue of its own, of the quality `qos`.
    public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        let queue = DispatchQueue(label: "freshet.queue.concurrent", qos: qos, attributes: .concurrent)
        self.init(queue: queue, leeway: leeway)
    }
}
