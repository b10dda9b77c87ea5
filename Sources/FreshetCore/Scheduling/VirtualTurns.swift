/// Periodic work in virtual time. Each turn schedules the next turn before it runs, so that the next turn comes before
/// all work that this turn schedules for the same time.
// One turn at a time accesses the variables, on the thread that advances the clock.
final class VirtualTurns<State, Converter: VirtualTimeConverterType> {
    let next = SerialDisposable()
    private let scheduler: VirtualTimeScheduler<Converter>
    private let period: RxTimeInterval
    private let action: (State) -> State
    private var state: State

    init(
        _ state: State, on scheduler: VirtualTimeScheduler<Converter>, period: RxTimeInterval,
        _ action: @escaping (State) -> State
    ) {
        self.state = state
        self.scheduler = scheduler
        self.period = period
        self.action = action
    }

    func schedule(after dueTime: RxTimeInterval) {
        next.disposable = scheduler.scheduleRelative(self, dueTime: dueTime) { turns in
            turns.schedule(after: turns.period)
            turns.state = turns.action(turns.state)
            return Disposables.create()
        }
    }
}
