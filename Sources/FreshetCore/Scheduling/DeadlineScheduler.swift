/// A scheduler that takes deadlines: work that is set very often and nearly always taken back.
package protocol DeadlineScheduler: SchedulerType {
    /// Tells `target` once `span` has passed, unless the result has been disposed of by then.
    func setDeadline(after span: Duration, for target: any DeadlineTarget) -> any Disposable
}

package protocol DeadlineTarget: AnyObject, Sendable {
    /// Called on the scheduler, once; a dispose on another thread may come too late.
    func deadlineReached()
}
