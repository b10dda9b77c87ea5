extension ObservableType where Element: Sendable {
    /// Emits the elements that arrive within `duration`, then completes. Source: RxSwift's `take(for:scheduler:)`.
    ///
    ///     source:       -a--b--c--d|
    ///     take(for: 5): -a--b|
    @preconcurrency
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        asObservable().linear { TakeTimeSink(to: $0, duration, on: scheduler) }
    }

    /// Emits the elements that arrive after `duration`. A stop event is passed on at any time.
    /// Source: RxSwift's `skip(_:scheduler:)`.
    ///
    ///     source:  -a--b--c--d|
    ///     skip(5): -------c--d|
    @preconcurrency
    public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        asObservable().linear { SkipTimeSink(to: $0, duration, on: scheduler) }
    }
}

private final class TakeTimeSink<Element: Sendable>: TimedSink<Element, Element> {
    override func started() { setAlarm(in: span) }
    override func received(_ element: Element) { downstream.next(element) }
    override func alarmFired() { downstream.completed() }
    override var holdsAlarms: Bool { false }
}

private final class SkipTimeSink<Element: Sendable>: TimedSink<Element, Element> {
    private var isOpen = false

    override func started() { setAlarm(in: span) }
    override func received(_ element: Element) { if isOpen { downstream.next(element) } }
    override func alarmFired() { isOpen = true }
    override var holdsAlarms: Bool { false }
}
