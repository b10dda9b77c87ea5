extension ObservableType where Element: Sendable {
    /// Starts a duration of `dueTime` at an element, and emits the latest element when the duration ends. The next
    /// element starts the next duration. Source: RxJS's `auditTime`.
    ///
    ///     source:   -a-b----c-d-e|
    ///     audit(3): ----b------d---(e|)
    ///
    /// If the source completes during a duration, the stream emits the latest element at the end of the duration and
    /// completes. An error is passed on at once.
    @preconcurrency
    public func audit(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        asObservable().linear { AuditSink(to: $0, dueTime, on: scheduler) }
    }
}

private final class AuditSink<Element: Sendable>: TimedSink<Element, Element> {
    private var latest: Element?
    private var hasEnded = false

    override func received(_ element: Element) {
        fireLateAlarm()
        if isDisposed { return }
        if latest == nil { setAlarm(in: span) }
        latest = element
    }

    override func alarmFired() {
        guard let element = latest.take() else { return }
        downstream.next(element)
        if hasEnded, !isDisposed { downstream.completed() }
    }

    override func ended() {
        if latest == nil { return downstream.completed() }
        hasEnded = true
        source.dispose()
    }
}
