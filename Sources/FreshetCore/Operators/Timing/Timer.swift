extension ObservableType where Element: FixedWidthInteger & Sendable {
    /// Emits the numbers from zero, one per `period`, without end. While it is paused it skips ticks but no numbers.
    /// Source: RxSwift's `interval`.
    ///
    ///     interval(2): --0-1-2-3-
    @preconcurrency
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        timer(period, period: period, scheduler: scheduler)
    }

    /// Emits zero after `dueTime` and completes. With a period, it continues to count without end.
    /// Source: RxSwift's `timer`.
    ///
    /// While it is paused it skips ticks but no numbers. The single tick of a timer without a period follows at the resume if it
    /// became due during the pause.
    ///
    ///     timer(3):            ---(0|)
    ///     timer(3, period: 1): ---01234
    @preconcurrency
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Producer { downstream in
            let source = TimerSource(to: downstream, on: scheduler)
            downstream.begin(with: source)
            if source.isDisposed { return }
            if let period {
                source.work.disposable =
                    scheduler.schedulePeriodic(0 as Element, startAfter: dueTime, period: period) { count in
                        source.send(count) ? count &+ 1 : count
                    }
            } else {
                source.work.replace {
                    scheduler.scheduleRelative((), dueTime: dueTime) { _ in
                        source.sendOnly()
                        return Disposables.create()
                    }
                }
            }
        }
    }
}

private final class TimerSource<Element: FixedWidthInteger & Sendable>: Cancelable, Pausable, @unchecked Sendable {
    let work = SerialDisposable()
    private let downstream: Sink<Element>
    private let scheduler: any SchedulerType
    private let pauseState = PauseState()

    init(to downstream: Sink<Element>, on scheduler: any SchedulerType) {
        self.downstream = downstream
        self.scheduler = scheduler
        Resources.increment()
    }

    deinit { Resources.decrement() }

    var isDisposed: Bool { work.isDisposed }

    /// Sends a tick unless the timer is paused or disposed of. Returns whether it has sent one.
    func send(_ element: Element) -> Bool {
        if isDisposed || pauseState.isOn { return false }
        downstream.next(element)
        return true
    }

    /// Sends the only tick, or postpones it until the resume.
    func sendOnly() {
        if !isDisposed, !pauseState.defersDueWork() { sendLast() }
    }

    private func sendLast() {
        downstream.next(0)
        if !isDisposed { downstream.completed() }
    }

    func dispose() { work.dispose() }

    func pause() { pauseState.begin() }

    func resume() {
        guard pauseState.end().hasDeferredWork else { return }
        work.replace {
            scheduler.schedule(()) { _ in
                // Another source can have paused the stream again. It would postpone the tick at each resume.
                if !self.isDisposed { self.sendLast() }
                return Disposables.create()
            }
        }
    }
}
