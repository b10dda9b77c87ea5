/// What operators with a clock are made of: the events of the source and one alarm, both signals of one ``Drain``.
///
/// An alarm that is due while downstream holds waits, or time alone would go on making elements. When downstream resumes
/// it rings first, on the scheduler, and then the source goes on.
class TimedSink<Element: Sendable, Result>: Sink<Element>, Cancelable, Pausable, @unchecked Sendable {
    private enum Signal {
        case event(Event<Element>)
        case due(Int)
        case late
        case resumed
    }

    let downstream: Sink<Result>
    let scheduler: any SchedulerType
    /// Whether it shows at which point in the order of the scheduler's work an alarm was set.
    let isStepping: Bool
    let source = SerialDisposable()
    private let drain = Drain<Signal>()
    private let timer = SerialDisposable()
    private let wakeup = SerialDisposable()
    private let pauseState = PauseState()

    // Touched under the drain alone: the alarm that counts; one that was set before it and rings all the same does not.
    private var alarm = 0
    private(set) var isAlarmSet = false
    private var lateAlarm = 0
    private var due = Instant(sinceStart: .zero)
    private var reached = Instant(sinceStart: .zero)

    init(to downstream: Sink<Result>, on scheduler: any SchedulerType) {
        self.downstream = downstream
        self.scheduler = scheduler
        isStepping = scheduler is any SteppingScheduler
    }

    /// Called under the drain once downstream has the subscription, before any event.
    func started() {}
    func received(_ element: Element) {}
    func failed(_ error: any Error) { downstream.error(error) }
    func ended() { downstream.completed() }
    func rang() {}
    /// Downstream holds no longer.
    func resumed() {}

    /// Whether an alarm waits while downstream holds. One that only ends the stream need not.
    var holdsAlarms: Bool { true }

    /// The scheduler's time, and at least that for which the last alarm rang: a clock too coarse for the span has not
    /// moved since the alarm was set.
    final var now: Instant { max(scheduler.now, reached) }

    final func setAlarm(in dueTime: RxTimeInterval) {
        setAlarm(in: dueTime, at: scheduler.now.advanced(by: dueTime))
    }

    final func setAlarm(at due: Instant) {
        setAlarm(in: max(.zero, scheduler.now.duration(to: due)), at: due)
    }

    private func setAlarm(in dueTime: RxTimeInterval, at due: Instant) {
        self.due = due
        alarm &+= 1
        isAlarmSet = true
        let handle = SingleAssignmentDisposable()
        timer.disposable = handle
        handle.setDisposable(
            scheduler.scheduleRelative(alarm, dueTime: dueTime) { alarm in
                self.submit(.due(alarm))
                return Disposables.create()
            })
    }

    final override func begin(with subscription: any Disposable & AnyObject) {
        source.disposable = subscription
        // Nothing comes before this call; an alarm on another thread waits until it is over.
        _ = drain.enter()
        downstream.begin(with: self)
        if !isDisposed { started() }
        drain.finishTurn(to: handle)
    }

    final override func next(_ element: Element) { submit(.event(.next(element))) }
    final override func error(_ error: any Error) { submit(.event(.error(error))) }
    final override func completed() { submit(.event(.completed)) }

    private func submit(_ signal: @autoclosure () -> Signal) {
        drain.submit(signal(), to: handle)
    }

    private func handle(_ signal: Signal) {
        if isDisposed { return }
        switch signal {
        case .event(.next(let element)):
            received(element)
        case .event(.error(let error)):
            failed(error)
        case .event(.completed):
            ended()
        case .due(let number):
            ring(number)
        case .late:
            ring(lateAlarm)
        case .resumed:
            resumed()
        }
    }

    private func ring(_ number: Int) {
        if number != alarm { return }
        lateAlarm = number
        if holdsAlarms, pauseState.putsOff() { return }
        isAlarmSet = false
        reached = due
        rang()
    }

    final var isHeld: Bool { pauseState.isOn }
    final var isDisposed: Bool { timer.isDisposed }

    final func dispose() {
        timer.dispose()
        wakeup.dispose()
        source.dispose()
    }

    final func pause() {
        pauseState.begin()
        pauseState.apply(to: source)
    }

    final func resume() {
        let (wasHeld, isLate) = pauseState.end()
        if wasHeld { submit(.resumed) }
        if !isLate { return pauseState.apply(to: source) }
        let handle = SingleAssignmentDisposable()
        wakeup.disposable = handle
        handle.setDisposable(
            scheduler.schedule(()) { _ in
                self.submit(.late)
                self.pauseState.apply(to: self.source)
                return Disposables.create()
            })
    }
}
