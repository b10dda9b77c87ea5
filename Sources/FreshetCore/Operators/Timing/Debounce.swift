extension ObservableType where Element: Sendable {
    /// Emits an element if no other element follows within `dueTime`. The completion of the source emits the last
    /// element at once. Source: RxSwift's `debounce`.
    ///
    ///     source:      -a-b----c---d-e|
    ///     debounce(3): ------b----c---(e|)
    @preconcurrency
    public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        asObservable().linear { DebounceSink(to: $0, dueTime, on: scheduler) }
    }
}

/// An element only moves the deadline, as in `timeout`.
private final class DebounceSink<Element: Sendable>: TimedSink<Element, Element> {
    private var latest: (element: Element, deadline: Instant)?

    override func received(_ element: Element) {
        fireLateAlarm()
        if isDisposed { return }
        latest = (element, scheduler.now.advanced(by: span))
        if isStepping || !isAlarmSet { setAlarm(in: span) }
    }

    override func alarmFired() {
        guard let latest else { return }
        if now < latest.deadline { return setAlarm(at: latest.deadline) }
        self.latest = nil
        downstream.next(latest.element)
    }

    override func ended() {
        if let latest { downstream.next(latest.element) }
        if !isDisposed { downstream.completed() }
    }
}
