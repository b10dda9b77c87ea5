/// What takes deadlines: work that is set very often and nearly always taken back.
package protocol DeadlineScheduler: Sendable {
    /// Tells `target`, which is held until then, once `span` has passed, unless it has been taken back by then.
    ///
    /// - Parameter now: this scheduler's time, as the caller has just read it.
    func setDeadline(after span: Duration, from now: Instant, for target: any DeadlineTarget) -> DeadlineTicket

    /// Takes back what was set here; what has come or was taken back already is left alone.
    func takeBack(_ deadline: DeadlineTicket)
}

extension DeadlineScheduler where Self: SchedulerType {
    package func setDeadline(after span: Duration, for target: any DeadlineTarget) -> DeadlineTicket {
        setDeadline(after: span, from: now, for: target)
    }
}

package protocol DeadlineTarget: AnyObject, Sendable {
    /// Called on the scheduler, once; what is taken back on another thread may come all the same.
    func deadlineReached()
}

/// By which a deadline is taken back.
package enum DeadlineTicket: Sendable {
    /// Its place in a list, and which list that is: a number costs neither memory nor counting.
    case listed(UInt64, list: UInt64)
    case work(any Disposable & AnyObject & Sendable)
}

/// Deadlines on any scheduler, each a piece of work like others.
package struct ScheduledDeadlines: DeadlineScheduler {
    private let scheduler: any SchedulerType

    package init(on scheduler: any SchedulerType) {
        self.scheduler = scheduler
    }

    package func setDeadline(
        after span: Duration, from now: Instant, for target: any DeadlineTarget
    ) -> DeadlineTicket {
        let deadline = SingleAssignmentDisposable()
        deadline.setDisposable(
            scheduler.scheduleRelative((), dueTime: span) {
                target.deadlineReached()
                return Disposables.create()
            })
        return .work(deadline)
    }

    package func takeBack(_ deadline: DeadlineTicket) {
        if case .work(let work) = deadline { work.dispose() }
    }
}
