extension SchedulerType {
    /// Runs `action` periodically: each turn schedules the next one when it has run. Turns never overlap, and a late
    /// turn does not delay the turns after it. Source: RxSwift's `SchedulePeriodicRecursive`.
    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let work = PeriodicWork(on: self, period: period, action)
        work.schedule(state, due: now.advanced(by: startAfter))
        return work.turn
    }
}

private final class PeriodicWork<State: Sendable>: Sendable {
    let turn = SerialDisposable()
    private let scheduler: any SchedulerType
    private let period: RxTimeInterval
    private let action: @Sendable (State) -> State

    init(on scheduler: any SchedulerType, period: RxTimeInterval, _ action: @escaping @Sendable (State) -> State) {
        self.scheduler = scheduler
        self.period = period
        self.action = action
    }

    func schedule(_ state: State, due: Instant) {
        let handle = SingleAssignmentDisposable()
        turn.disposable = handle
        handle.setDisposable(
            scheduler.scheduleRelative(state, dueTime: max(.zero, scheduler.now.duration(to: due))) { state in
                let next = self.action(state)
                if !self.turn.isDisposed { self.schedule(next, due: due.advanced(by: self.period)) }
                return Disposables.create()
            })
    }
}
