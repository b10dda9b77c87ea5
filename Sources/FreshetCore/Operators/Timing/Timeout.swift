extension ObservableType where Element: Sendable {
    /// Fails with ``RxError/timeout`` if no event arrives for `dueTime`, counted from the subscription and from each
    /// element. Source: RxSwift's `timeout`. A source that is paused because downstream has paused does not time out:
    /// the time starts again at the resume.
    ///
    ///     source:     -a--b-------c|
    ///     timeout(4): -a--b---#
    @preconcurrency
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        timeout(dueTime, other: Observable.error(RxError.timeout), scheduler: scheduler)
    }

    /// Switches to `other` if no event arrives for `dueTime`. Source: RxSwift's `timeout(_:other:scheduler:)`.
    ///
    ///     source:                   -a--b-------c|
    ///     cold other:               -xy|
    ///     timeout(4, other: other): -a--b----xy|
    @preconcurrency
    public func timeout<Source: ObservableConvertibleType>(
        _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Source.Element == Element {
        let source = asObservable()
        let other = other.asObservable()
        return source.linear { TimeoutSink(to: $0, dueTime, other: other, on: scheduler) }
    }
}

/// An element only moves the deadline. An alarm that fires before the deadline is set again for the rest of the time.
/// So an element costs a read of the clock instead of a timer.
private final class TimeoutSink<Element: Sendable>: TimedSink<Element, Element> {
    private let other: Observable<Element>
    private var deadline: Instant
    private var hasSwitched = false

    init(
        to downstream: Sink<Element>, _ dueTime: RxTimeInterval, other: Observable<Element>,
        on scheduler: any SchedulerType
    ) {
        self.other = other
        deadline = scheduler.now.advanced(by: dueTime)
        super.init(to: downstream, dueTime, on: scheduler)
    }

    override func started() { setAlarm(in: span) }

    override func received(_ element: Element) {
        if hasSwitched { return }
        downstream.next(element)
        deadline = scheduler.now.advanced(by: span)
        if isStepping, !isDisposed { setAlarm(in: span) }
    }

    override func resumed() {
        deadline = scheduler.now.advanced(by: span)
        if isStepping, !hasSwitched { setAlarm(in: span) }
    }

    override func failed(_ error: any Error) { if !hasSwitched { downstream.error(error) } }
    override func ended() { if !hasSwitched { downstream.completed() } }

    override func alarmFired() {
        if now < deadline { return setAlarm(at: deadline) }
        hasSwitched = true
        source.disposable = Disposables.create()
        other.subscribe(OtherSink(to: downstream, in: source))
    }

    private final class OtherSink: PassingSink<Element> {
        private let slot: SerialDisposable

        init(to downstream: Sink<Element>, in slot: SerialDisposable) {
            self.slot = slot
            super.init(to: downstream)
        }

        override func begin(with subscription: any Disposable & AnyObject) { slot.disposable = subscription }
    }
}
