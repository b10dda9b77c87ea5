/// What a deadline tells. See ``SchedulerType/setDeadline(after:from:for:)``.
public protocol DeadlineTarget: AnyObject, Sendable {
    /// The deadline has passed. Called on the scheduler, once; a deadline that is canceled on another thread may arrive all the
    /// same.
    func deadlineReached()
}

/// A deadline that was set, by which its scheduler cancels it. See ``SchedulerType/setDeadline(after:from:for:)``.
public struct Deadline: Sendable {
    package enum Place: Sendable {
        /// Its place in a list, and which list that is: a number costs neither memory nor counting.
        case listed(UInt64, list: UInt64)
        case work(any Disposable & AnyObject & Sendable)
    }

    package let place: Place

    package init(_ place: Place) {
        self.place = place
    }

    /// A deadline that is a piece of work; disposing of `work` cancels it.
    public init(_ work: any Disposable & AnyObject & Sendable) {
        place = .work(work)
    }

    /// Disposes of the work that it is. A scheduler that keeps its deadlines in a list takes them out of it instead.
    public func disposeOfWork() {
        if case .work(let work) = place { work.dispose() }
    }
}

extension SchedulerType {
    public func setDeadline(after span: Duration, from now: Instant, for target: any DeadlineTarget) -> Deadline {
        let work = SingleAssignmentDisposable()
        work.setDisposable(
            scheduleRelative((), dueTime: span) {
                target.deadlineReached()
                return Disposables.create()
            })
        return Deadline(work)
    }

    public func cancel(_ deadline: Deadline) { deadline.disposeOfWork() }
}
