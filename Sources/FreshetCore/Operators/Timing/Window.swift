extension ObservableType where Element: Sendable {
    /// Emits the elements in windows, which are streams. A new window begins when `count` elements have arrived or
    /// `timeSpan` has passed. If it has passed while downstream had paused, a window without an element stays open for a new
    /// span. Source: RxSwift's `window(timeSpan:count:scheduler:)`.
    ///
    ///     source:                        -a-b-c------d|
    ///     window(timeSpan: 4, count: 2): A--B---C---D-|    A = -a-(b|), B = --c-|, C = ----|, D = -d|
    ///
    /// The subscription to the source lasts as long as there is a subscriber to the stream of windows or to a window.
    /// The source and the time are paused while all these subscribers are paused.
    @preconcurrency
    public func window(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<Observable<Element>> {
        asObservable().linear { WindowSink(to: $0, timeSpan, count: count, on: scheduler) }
    }
}

/// Downstream has a subscription of its own, which stops the delivery of windows. The subscription of this sink ends
/// when the windows have ended too.
private final class WindowSink<Element: Sendable>: TimedSink<Element, Observable<Element>> {
    private let count: Int
    private let outer: OuterSink<Observable<Element>>
    private var current = PublishSubject<Element>()
    private var taken = 0

    init(
        to downstream: Sink<Observable<Element>>, _ timeSpan: RxTimeInterval, count: Int,
        on scheduler: any SchedulerType
    ) {
        self.count = count
        outer = OuterSink(to: downstream)
        super.init(to: outer, timeSpan, on: scheduler)
    }

    override func started() { open() }

    private func open() {
        taken = 0
        current = PublishSubject()
        outer.next(current.streamOfChild(outer.parent))
        if !isDisposed { setAlarm(in: span) }
    }

    override func received(_ element: Element) {
        current.onNext(element)
        taken += 1
        if taken == count { alarmFired() }
    }

    override func alarmFired() {
        current.onCompleted()
        if !isDisposed { open() }
    }

    // A consumer that needs longer than the time span would only get empty windows.
    override func lateAlarmFired() { if taken == 0 { setAlarm(in: span) } else { alarmFired() } }

    override func failed(_ error: any Error) {
        current.onError(error)
        outer.error(error)
        outer.parent.finish()
    }

    override func ended() {
        current.onCompleted()
        outer.completed()
        outer.parent.finish()
    }
}

/// Drops all events after the subscriber to the stream of windows has disposed of its subscription.
private final class OuterSink<Result>: OperatorSink<Result, Result> {
    private(set) var parent = ParentSubscription(NopDisposable.shared)

    override func begin(with subscription: any Disposable & AnyObject) {
        parent = ParentSubscription(subscription)
        downstream.begin(with: parent)
    }

    override func next(_ element: Result) { if !parent.isDisposed { downstream.next(element) } }
    override func error(_ error: any Error) { if !parent.isDisposed { downstream.error(error) } }
    override func completed() { if !parent.isDisposed { downstream.completed() } }
}
