extension ObservableType where Element: Sendable {
    /// The elements of the first `duration`, then the end. Source: RxSwift's `take(for:scheduler:)`.
    ///
    ///     source:       -a--b--c--d|
    ///     take(for: 5): -a--b|
    @preconcurrency
    public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        return asObservable().linear { TakeTimeSink(to: $0, for: duration, on: scheduler) }
    }

    /// The elements after the first `duration`; a stop event comes at any time. Source: RxSwift's `skip(_:scheduler:)`.
    ///
    ///     source:  -a--b--c--d|
    ///     skip(5): -------c--d|
    @preconcurrency
    public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        return asObservable().linear { SkipTimeSink(to: $0, for: duration, on: scheduler) }
    }
}

private final class TakeTimeSink<Element: Sendable>: TimedSink<Element, Element>, @unchecked Sendable {
    private let duration: RxTimeInterval

    init(to downstream: Sink<Element>, for duration: RxTimeInterval, on scheduler: any SchedulerType) {
        self.duration = duration
        super.init(to: downstream, on: scheduler)
    }

    override func started() { setAlarm(in: duration) }
    override func received(_ element: Element) { downstream.next(element) }
    override func rang() { downstream.completed() }
    override var holdsAlarms: Bool { false }
}

private final class SkipTimeSink<Element: Sendable>: TimedSink<Element, Element>, @unchecked Sendable {
    private let duration: RxTimeInterval
    private var isOpen = false

    init(to downstream: Sink<Element>, for duration: RxTimeInterval, on scheduler: any SchedulerType) {
        self.duration = duration
        super.init(to: downstream, on: scheduler)
    }

    override func started() { setAlarm(in: duration) }
    override func received(_ element: Element) { if isOpen { downstream.next(element) } }
    override func rang() { isOpen = true }
    override var holdsAlarms: Bool { false }
}
