extension ObservableType where Element: Sendable {
    /// Emits the latest element at the end of each `period`, if a new element has arrived.
    /// Source: RxJava's `sample(period, scheduler, emitLast)`.
    ///
    ///     source:                    -ab-----c----d|
    ///     sample(3):                 ---b-----c----|
    ///     sample(3, emitLast: true): ---b-----c----(d|)
    ///
    /// If a period ends during a pause, its element waits for the resume, or for the next element of a source that goes on.
    ///
    /// - Parameters:
    ///   - period: the time between two samples, counted from the subscription.
    ///   - emitLast: whether the completion emits the element that has arrived since the last sample.
    ///   - scheduler: the clock. Elements are delivered on this scheduler.
    @preconcurrency
    public func sample(
        _ period: RxTimeInterval, emitLast: Bool = false, scheduler: any SchedulerType
    ) -> Observable<Element> {
        precondition(period > .zero, "sample(\(period)): time would not go on")
        return asObservable().linear { PeriodicSampleSink(to: $0, period, emitsLast: emitLast, on: scheduler) }
    }
}

private final class PeriodicSampleSink<Element: Sendable>: TimedSink<Element, Element> {
    private let emitsLast: Bool
    private var latest: Element?
    private var next = Instant(sinceStart: .zero)

    init(to downstream: Sink<Element>, _ period: RxTimeInterval, emitsLast: Bool, on scheduler: any SchedulerType) {
        self.emitsLast = emitsLast
        super.init(to: downstream, period, on: scheduler)
    }

    override func started() {
        next = now
        setNextAlarm()
    }

    /// Sets the alarm for the next sample. Samples stay on the same grid of the clock even if one is late, and missed
    /// samples are left out.
    private func setNextAlarm() {
        next = next.advanced(to: now, inPeriodsOf: span)
        setAlarm(at: next)
    }

    override func received(_ element: Element) {
        fireLateAlarm()
        if !isDisposed { latest = element }
    }

    override func alarmFired() {
        send()
        if !isDisposed { setNextAlarm() }
    }

    override func ended() {
        if emitsLast { send() }
        if !isDisposed { downstream.completed() }
    }

    private func send() {
        if let element = latest.take() { downstream.next(element) }
    }
}
