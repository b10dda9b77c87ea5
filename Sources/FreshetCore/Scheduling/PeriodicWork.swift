extension SchedulerType {
    /// Runs `action` periodically: each turn schedules the next one when it has run. Turns never overlap, and a late
    /// turn does not delay the turns after it. Turns that were due meanwhile are skipped.
    /// Source: RxSwift's `SchedulePeriodicRecursive`.
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
        turn.replace {
            scheduler.scheduleRelative(state, dueTime: max(.zero, scheduler.now.duration(to: due))) { state in
                let next = self.action(state)
                if !self.turn.isDisposed {
                    self.schedule(next, due: due.advanced(to: self.scheduler.now, inPeriodsOf: self.period))
                }
                return Disposables.create()
            }
        }
    }
}

extension Instant {
    /// Returns the first time after `now` that is this time plus one or more whole periods.
    package func advanced(to now: Instant, inPeriodsOf period: Duration) -> Instant {
        let late = duration(to: now)
        guard late >= period, period > .zero else { return advanced(by: period) }
        let missed = late.attoseconds / period.attoseconds
        return advanced(by: Duration(attoseconds: (missed + 1) * period.attoseconds))
    }
}
