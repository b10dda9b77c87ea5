extension SchedulerType {
    /// Runs `action` periodically: each turn schedules the next one when it has run. Turns never overlap, and a late
    /// turn does not delay the turns after it. Source: RxSwift's `SchedulePeriodicRecursive`.
    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let work = PeriodicWork(state: state, on: self, period: period, firstDue: now.advanced(by: startAfter), action)
        work.schedule()
        return work.turn
    }
}

private final class PeriodicWork<State: Sendable>: @unchecked Sendable {
    let turn = SerialDisposable()
    private let scheduler: any SchedulerType
    private let period: RxTimeInterval
    private let action: (State) -> State
    // Only one turn at a time accesses these.
    private var state: State
    private var due: Instant

    init(
        state: State, on scheduler: any SchedulerType, period: RxTimeInterval, firstDue: Instant,
        _ action: @escaping (State) -> State
    ) {
        self.state = state
        self.scheduler = scheduler
        self.period = period
        self.due = firstDue
        self.action = action
    }

    func schedule() {
        let handle = SingleAssignmentDisposable()
        turn.disposable = handle
        handle.setDisposable(
            scheduler.scheduleRelative(self, dueTime: max(.zero, scheduler.now.duration(to: due))) { work in
                work.state = work.action(work.state)
                work.due = work.due.advanced(by: work.period)
                if !work.turn.isDisposed { work.schedule() }
                return Disposables.create()
            })
    }
}
