extension ObservableType where Element: Sendable {
    /// Emits each element and the completion `dueTime` later. An error is passed on at once, and the waiting elements
    /// are dropped. Source: RxSwift's `delay`.
    ///
    ///     source:   -a--b-----|
    ///     delay(3): ----a--b-----|
    @preconcurrency
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        asObservable().linear { DelaySink(to: $0, dueTime, on: scheduler) }
    }

    /// Subscribes to the source `dueTime` later. Source: RxSwift's `delaySubscription`.
    ///
    ///     cold source:          a--b--|
    ///     delaySubscription(3): ---a--b--|
    @preconcurrency
    public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        let source = asObservable()
        return Producer(after: source) { downstream in
            let sink = CompositeSink(to: downstream)
            let timer = SingleAssignmentDisposable()
            sink.subscriptions.insert(timer)
            downstream.begin(with: sink.subscriptions)
            timer.setDisposable(
                scheduler.scheduleRelative(UncheckedSendable(sink), dueTime: dueTime) { sink in
                    if !sink.value.subscriptions.isDisposed { source.subscribe(sink.value) }
                    return Disposables.create()
                })
        }
    }
}

private final class DelaySink<Element: Sendable>: TimedSink<Element, Element> {
    private var waiting = Fifo<(due: Instant, event: Event<Element>)>()

    override func received(_ element: Element) { enqueue(.next(element)) }

    override func ended() {
        source.dispose()
        enqueue(.completed)
    }

    private func enqueue(_ event: Event<Element>) {
        waiting.append((scheduler.now.advanced(by: span), event))
        if !isAlarmSet { setAlarm(in: span) }
    }

    override func alarmFired() {
        let now = now
        while let next = waiting.first, next.due <= now, !isDisposed, !isHeld {
            _ = waiting.popFirst()
            downstream.on(next.event)
            if isStepping { break }
        }
        if let next = waiting.first, !isDisposed { setAlarm(at: next.due) }
    }
}
