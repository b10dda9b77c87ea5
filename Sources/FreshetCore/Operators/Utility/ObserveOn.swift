import Synchronization

extension ObservableType where Element: Sendable {
    /// Delivers all events, including errors, on `scheduler`, in order. Source: RxSwift's `observe(on:)`.
    ///
    /// Streams on one `SerialDispatchQueueScheduler`, such as `MainScheduler.instance`, keep the order in which their events
    /// arrived. After a pause the waiting events of a stream are delivered one at a time, and each takes its place behind the
    /// events of other streams that have arrived. On any other scheduler the order holds only within a stream. Its waiting events
    /// are delivered together, but in virtual time and on the current thread one at a time, as in RxSwift.
    ///
    /// Events that arrive faster than they are delivered wait in a queue without a limit. See
    /// ``observe(on:buffering:)``. A pause stops the delivery and pauses the source.
    @preconcurrency
    public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        asObservable().linear { ObserveOnSink(to: $0, on: scheduler, buffering: nil) }
    }

    /// Delivers the events on `scheduler`, in order, and pauses the source while too many events wait.
    ///
    /// A pause stops the delivery. It pauses the source only when the number of waiting events reaches the upper bound.
    ///
    /// - Parameters:
    ///   - scheduler: the scheduler on which events are delivered.
    ///   - limits: the source is paused when the number of waiting events reaches the upper bound, and resumed when it
    ///     falls to the lower bound. A source that cannot be paused continues, and all its events wait.
    @preconcurrency
    public func observe(
        on scheduler: any ImmediateSchedulerType, buffering limits: ClosedRange<Int>
    ) -> Observable<Element> {
        precondition(
            limits.lowerBound >= 0 && limits.upperBound > 0, "observe(on:buffering:) needs room for an element")
        return asObservable().linear { ObserveOnSink(to: $0, on: scheduler, buffering: limits) }
    }
}

/// Stores the events in a queue. On an ``ArrivalOrderScheduler`` each event has a piece of scheduled work, which delivers
/// the first event of the queue; after a pause the events that wait have one together, which schedules that of the next event.
/// On any other scheduler one piece of work at a time delivers the queued events.
private final class ObserveOnSink<Element: Sendable>: Sink<Element>, SubscriptionOwner {
    private struct State {
        var waiting = Fifo<Event<Element>>()
        /// How many deliveries are scheduled and have not begun.
        var scheduled = 0
        var isDelivering = false
        /// The number of the latest delivery.
        var lastNumber = 0
        /// Cancels the latest delivery.
        var work: (any Disposable)?
        var isHeld = false
        var isPaused = false
        var isDisposed = false
    }

    private let downstream: Sink<Element>
    private let scheduler: any ImmediateSchedulerType
    private let limits: ClosedRange<Int>?
    private let isInArrivalOrder: Bool
    /// Whether a delivery delivers everything that waits, and not only the first event.
    private let deliversAll: Bool
    private let state = Locked(State())
    private let source = SingleAssignmentDisposable()

    init(to downstream: Sink<Element>, on scheduler: any ImmediateSchedulerType, buffering limits: ClosedRange<Int>?) {
        self.downstream = downstream
        self.scheduler = scheduler
        self.limits = limits
        isInArrivalOrder = scheduler is any ArrivalOrderScheduler
        deliversAll = !isInArrivalOrder && !(scheduler is any SteppingScheduler)
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        source.setDisposable(subscription)
        downstream.begin(with: OwnedSubscription(of: self))
    }

    override func next(_ element: Element) { enqueue(.next(element)) }
    override func error(_ error: any Error) { end(with: .error(error)) }
    override func completed() { end(with: .completed) }

    // The subscription ends before the event is delivered, so that the source does not continue until then.
    private func end(with event: Event<Element>) {
        source.dispose()
        enqueue(event)
    }

    private func enqueue(_ event: Event<Element>) {
        let (number, isFull) = state.withLock { state -> (Int?, Bool) in
            if state.isDisposed { return (nil, false) }
            state.waiting.append(event)
            let isFull = limits.map { !state.isHeld && state.waiting.count >= $0.upperBound } ?? false
            if isFull { state.isHeld = true }
            return (claim(&state, of: isInArrivalOrder ? state.waiting.count : nil), isFull)
        }
        if isFull { updateSource() }
        if let number { schedule(number) }
    }

    private func updateSource() {
        source.pauseOrResume { state.withLock { $0.isHeld } }
    }

    // Returns the number of the delivery that the caller has to schedule. Without a number of deliveries one is enough, and
    // the end of a delivery schedules the next.
    private func claim(_ state: inout State, of deliveries: Int? = nil) -> Int? {
        let wanted = deliveries ?? (state.isDelivering ? 0 : min(state.waiting.count, 1))
        if state.isPaused || state.scheduled >= wanted { return nil }
        state.scheduled += 1
        state.lastNumber += 1
        return state.lastNumber
    }

    private func schedule(_ number: Int) {
        let work = scheduler.schedule(Delivery(by: UncheckedSendable(self))) { delivery in
            delivery.run()
            return Disposables.create()
        }
        // The delivery can have ended meanwhile, and a later one can be scheduled.
        let (isDisposed, previous) = state.withLock { state -> (Bool, (any Disposable)?) in
            guard state.lastNumber == number, !state.isDisposed else { return (state.isDisposed, nil) }
            return (false, exchange(&state.work, with: work))
        }
        if isDisposed { work.dispose() }
        withExtendedLifetime(previous) {}
    }

    /// One scheduled delivery. A scheduler that has ended releases it without running it. No event can be delivered
    /// any more then.
    private final class Delivery: Sendable {
        private let sink: UncheckedSendable<ObserveOnSink>
        private let hasRun = Atomic<Bool>(false)

        init(by sink: UncheckedSendable<ObserveOnSink>) {
            self.sink = sink
        }

        deinit {
            if !hasRun.load(ordering: .relaxed) { sink.value.dispose() }
        }

        func run() {
            hasRun.store(true, ordering: .relaxed)
            sink.value.deliver()
        }
    }

    private func deliver() {
        var event: Event<Element>?
        var rest = 0
        let isNested = state.withLock { state in
            state.scheduled -= 1
            if state.isDelivering { return true }
            state.isDelivering = true
            event = pop(&state)
            rest = deliversAll ? state.waiting.count : 0
            return false
        }
        // The observer runs the scheduler's work, as a run loop does. The delivery that it is in schedules what is left.
        if isNested { return }
        while let next = event {
            downstream.on(next)
            event = rest > 0 ? state.withLock { pop(&$0) } : nil
            rest -= 1
        }
        let isLow = state.withLock { state in
            state.isDelivering = false
            let isLow = limits.map { state.isHeld && state.waiting.count <= $0.lowerBound } ?? false
            if isLow { state.isHeld = false }
            return isLow && !state.isDisposed
        }
        if isLow { updateSource() }
        scheduleNextDelivery()
    }

    private func pop(_ state: inout State) -> Event<Element>? {
        state.isDisposed || state.isPaused ? nil : state.waiting.popFirst()
    }

    private func scheduleNextDelivery() {
        if let number = state.withLock({ claim(&$0) }) { schedule(number) }
    }

    func dispose() {
        let (waiting, work) = state.withLock { state in
            state.isDisposed = true
            return (exchange(&state.waiting, with: Fifo()), state.work.take())
        }
        source.dispose()
        work?.dispose()
        withExtendedLifetime(waiting) {}
    }

    func pause() {
        state.withLock { state in
            state.isPaused = true
            if limits == nil { state.isHeld = true }
        }
        if limits == nil { updateSource() }
    }

    func resume() {
        state.withLock { state in
            state.isPaused = false
            if limits == nil { state.isHeld = false }
        }
        scheduleNextDelivery()
        if limits == nil { updateSource() }
    }
}
