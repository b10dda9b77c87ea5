/// What takes deadlines: work that is set very often and nearly always taken back.
package protocol DeadlineScheduler: Sendable {
    /// Tells `target` once `span` has passed, unless the result has been disposed of by then.
    func setDeadline(after span: Duration, for target: any DeadlineTarget) -> any Disposable & AnyObject
}

package protocol DeadlineTarget: AnyObject, Sendable {
    /// Called on the scheduler, once; a dispose on another thread may come too late.
    func deadlineReached()
}

/// Deadlines on any scheduler, each a piece of work like others.
package struct ScheduledDeadlines: DeadlineScheduler {
    private let scheduler: any SchedulerType

    package init(on scheduler: any SchedulerType) {
        self.scheduler = scheduler
    }

    package func setDeadline(after span: Duration, for target: any DeadlineTarget) -> any Disposable & AnyObject {
        let deadline = SingleAssignmentDisposable()
        deadline.setDisposable(
            scheduler.scheduleRelative((), dueTime: span) {
                target.deadlineReached()
                return Disposables.create()
            })
        return deadline
    }
}
