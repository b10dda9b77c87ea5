extension ObservableType where Element: Sendable {
    /// Emits at most one element per `dueTime`: the first element at once, and the latest of the following elements
    /// when the time has passed. Source: RxSwift's `throttle(_:latest:scheduler:)`.
    ///
    ///     source:                     -ab-c----d-e-|
    ///     throttle(3):                -a--c----d--e|
    ///     throttle(3, latest: false): -a--c----d---|
    ///
    /// - Parameters:
    ///   - dueTime: the minimum time between two elements.
    ///   - latest: whether the latest element that arrives too early is emitted later. If `false`, all such elements
    ///     are dropped.
    ///   - scheduler: the clock. Delayed elements are delivered on this scheduler, or with the next element if
    ///     that comes during a pause.
    @preconcurrency
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        asObservable().linear { ThrottleSink(to: $0, dueTime, keepsLatest: latest, on: scheduler) }
    }
}

private final class ThrottleSink<Element: Sendable>: TimedSink<Element, Element> {
    private let keepsLatest: Bool
    private var unsent: Element?
    private var lastSent: Instant?
    private var hasEnded = false

    init(to downstream: Sink<Element>, _ dueTime: RxTimeInterval, keepsLatest: Bool, on scheduler: any SchedulerType) {
        self.keepsLatest = keepsLatest
        super.init(to: downstream, dueTime, on: scheduler)
    }

    override func received(_ element: Element) {
        if let due = fireLateAlarm() { lastSent = due }
        if isDisposed { return }
        let rest = lastSent.map { scheduler.now.duration(to: $0.advanced(by: span)) } ?? .zero
        if rest <= .zero { return send(element) }
        guard keepsLatest else { return }
        if unsent == nil { setAlarm(in: rest) }
        unsent = element
    }

    private func send(_ element: Element) {
        unsent = nil
        downstream.next(element)
        // The time counts from the end of the delivery, because downstream may have taken a while.
        lastSent = scheduler.now
    }

    override func alarmFired() {
        if let unsent { send(unsent) }
        if hasEnded, !isDisposed { downstream.completed() }
    }

    override func ended() {
        if unsent == nil { return downstream.completed() }
        hasEnded = true
        source.dispose()
    }
}
