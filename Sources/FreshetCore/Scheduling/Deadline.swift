/// An object that the scheduler calls when a deadline passes. See ``SchedulerType/setDeadline(after:from:for:)``.
public protocol DeadlineTarget: AnyObject, Sendable {
    /// Called when the deadline has passed. The scheduler calls this method once, on its own thread. It can still call
    /// it for a deadline that another thread has canceled.
    func deadlineReached()
}

/// The handle of a deadline, with which the scheduler cancels it. See ``SchedulerType/setDeadline(after:from:for:)``.
public struct Deadline: Sendable {
    package enum Place: Sendable {
        /// The number of an entry in a scheduler's list, and the number of that list. A number needs no allocation and
        /// no reference counting.
        case listed(UInt64, list: UInt64)
        case work(any Disposable & AnyObject & Sendable)
    }

    package let place: Place

    package init(_ place: Place) {
        self.place = place
    }

    /// Creates a deadline from `work`. Disposing of `work` cancels the deadline.
    public init(_ work: any Disposable & AnyObject & Sendable) {
        place = .work(work)
    }

    /// Disposes of the deadline's work, if it has any. A scheduler that keeps its deadlines in a list removes the entry
    /// from the list instead.
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
