extension ObservableType where Element: Sendable {
    /// Emits an array of the received elements when `count` elements have arrived or `timeSpan` has passed. The array
    /// can be empty. If the time has passed while downstream had paused and nothing has arrived, a new span begins at the
    /// resume. Source: RxSwift's `buffer(timeSpan:count:scheduler:)`.
    ///
    ///     source:                        -a-b-c------d|
    ///     buffer(timeSpan: 4, count: 2): ---A---B---C-(D|)    A = [a, b], B = [c], C = [], D = [d]
    @preconcurrency
    public func buffer(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<[Element]> {
        asObservable().linear { BufferSink(to: $0, timeSpan, count: count, on: scheduler) }
    }
}

private final class BufferSink<Element: Sendable>: TimedSink<Element, [Element]> {
    private let count: Int
    private var elements: [Element] = []

    init(to downstream: Sink<[Element]>, _ timeSpan: RxTimeInterval, count: Int, on scheduler: any SchedulerType) {
        self.count = count
        super.init(to: downstream, timeSpan, on: scheduler)
    }

    override func started() { setAlarm(in: span) }

    override func received(_ element: Element) {
        elements.append(element)
        if elements.count == count { send() }
    }

    override func alarmFired() { send() }

    // A consumer that needs longer than the time span would only get empty arrays: it pauses again at each, before the source
    // has had a turn.
    override func lateAlarmFired() { if elements.isEmpty { setAlarm(in: span) } else { send() } }

    private func send() {
        downstream.next(exchange(&elements, with: []))
        if !isDisposed { setAlarm(in: span) }
    }

    override func ended() {
        downstream.next(elements)
        if !isDisposed { downstream.completed() }
    }
}
