import Synchronization

/// The base class of operators that use a clock. The events of the source and one alarm arrive as signals of one
/// ``Drain``.
///
/// An alarm that is due while downstream has paused waits, because the clock would otherwise keep producing elements.
/// After the resume, the alarm fires first, on the scheduler, and then the source continues. A source that cannot be paused goes
/// on meanwhile; an operator that would replace the element that is due fires the alarm before it (``fireLateAlarm()``).
class TimedSink<Element: Sendable, Result>: Sink<Element>, SubscriptionOwner {
    private enum Signal {
        case event(Event<Element>)
        case due(Int)
        case late
        case resumed
    }

    let downstream: Sink<Result>
    /// The operator's due time, time span or period.
    let span: RxTimeInterval
    let scheduler: any SchedulerType
    /// Whether the position of an alarm in the order of the scheduler's work is visible. See ``SteppingScheduler``.
    let isStepping: Bool
    let source = SerialDisposable()
    private let drain = Drain<Signal>()
    private let timer = SerialDisposable()
    private let wakeup = SerialDisposable()
    private let pauseState = PauseState()
    /// Whether the alarm that was due during a pause is about to fire. The source waits for it.
    private let isWaking = Atomic<Bool>(false)

    // Accessed only under the drain. `alarm` is the number of the valid alarm. An earlier alarm that still fires is
    // ignored.
    private var alarm = 0
    private(set) var isAlarmSet = false
    private var lateAlarm = 0
    private var due = Instant(sinceStart: .zero)
    private var reached = Instant(sinceStart: .zero)

    init(to downstream: Sink<Result>, _ span: RxTimeInterval, on scheduler: any SchedulerType) {
        self.downstream = downstream
        self.span = span
        self.scheduler = scheduler
        isStepping = scheduler is any SteppingScheduler
    }

    /// Called under the drain after downstream has received the subscription, before any event.
    func started() {}
    func received(_ element: Element) {}
    func failed(_ error: any Error) { downstream.error(error) }
    func ended() { downstream.completed() }
    func alarmFired() {}
    /// Called in place of ``alarmFired()`` when the alarm was due while downstream had paused, and fires after the resume.
    func lateAlarmFired() { alarmFired() }
    /// Called when downstream has resumed.
    func resumed() {}

    /// Whether an alarm waits while downstream has paused. An alarm that only ends the stream does not have to wait.
    var holdsAlarms: Bool { true }

    /// The scheduler's time, but at least the due time of the last alarm. A clock with a coarse resolution may not have
    /// advanced since the alarm was set.
    final var now: Instant { max(scheduler.now, reached) }

    final func setAlarm(in dueTime: RxTimeInterval) {
        setAlarm(in: dueTime, at: scheduler.now.advanced(by: dueTime))
    }

    final func setAlarm(at due: Instant) {
        setAlarm(in: due > now ? max(.zero, scheduler.now.duration(to: due)) : .zero, at: due)
    }

    private func setAlarm(in dueTime: RxTimeInterval, at due: Instant) {
        self.due = due
        alarm &+= 1
        isAlarmSet = true
        timer.replace {
            scheduler.scheduleRelative(alarm, dueTime: dueTime) { [sink = UncheckedSendable(self)] alarm in
                sink.value.submit(.due(alarm))
                return Disposables.create()
            }
        }
    }

    final override func begin(with subscription: any Disposable & AnyObject) {
        source.disposable = subscription
        // No event comes before this call. An alarm on another thread waits until the drain is free.
        _ = drain.enter()
        downstream.begin(with: OwnedSubscription(of: self))
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
            if rings(number) { fire(alarmFired) }
        case .late:
            if rings(lateAlarm) { fire(lateAlarmFired) }
        case .resumed:
            resumed()
        }
    }

    /// Fires the alarm that has been due since downstream paused, if there is one.
    ///
    /// - Returns: when it was due.
    @discardableResult
    final func fireLateAlarm() -> Instant? {
        guard isAlarmSet, lateAlarm == alarm else { return nil }
        fire(alarmFired)
        return reached
    }

    /// Returns whether the alarm fires now, and does not wait for a resume.
    private func rings(_ number: Int) -> Bool {
        guard number == alarm, isAlarmSet else { return false }
        lateAlarm = number
        return !holdsAlarms || !pauseState.defersDueWork()
    }

    private func fire(_ work: () -> Void) {
        isAlarmSet = false
        reached = due
        work()
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
        let (wasHeld, hasDeferredWork) = pauseState.end()
        if wasHeld { submit(.resumed) }
        guard hasDeferredWork else {
            if !isWaking.load(ordering: .acquiring) { pauseState.apply(to: source) }
            return
        }
        isWaking.store(true, ordering: .releasing)
        wakeup.replace {
            scheduler.schedule(UncheckedSendable(self)) { sink in
                sink.value.submit(.late)
                sink.value.isWaking.store(false, ordering: .releasing)
                sink.value.pauseState.apply(to: sink.value.source)
                return Disposables.create()
            }
        }
    }
}
