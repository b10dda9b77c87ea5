extension ObservableType where Element: Sendable {
    /// Delivers the events on `scheduler`, in order, errors too. Source: RxSwift's `observe(on:)`.
    ///
    /// What comes faster than it is taken waits without a bound; see ``observe(on:buffering:)``. A pause holds what waits
    /// and the source.
    @preconcurrency
    public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        return asObservable().linear { ObserveOnSink(to: $0, on: scheduler, buffering: nil) }
    }

    /// Delivers the events on `scheduler`, in order, and holds the source while too many wait.
    ///
    /// A pause holds what waits, and the source when as many wait as the upper bound says.
    ///
    /// - Parameters:
    ///   - scheduler: where events are delivered.
    ///   - limits: the source is paused when as many elements wait as the upper bound says, and resumed when they are
    ///     down to the lower one. A source that cannot be paused goes on, and its elements wait all the same.
    @preconcurrency
    public func observe(
        on scheduler: any ImmediateSchedulerType, buffering limits: ClosedRange<Int>
    ) -> Observable<Element> {
        precondition(
            limits.lowerBound >= 0 && limits.upperBound > 0, "observe(on:buffering:) needs room for an element")
        return asObservable().linear { ObserveOnSink(to: $0, on: scheduler, buffering: limits) }
    }
}

/// Events wait in a queue, and one piece of scheduled work at a time takes out what is there.
private final class ObserveOnSink<Element: Sendable>: Sink<Element>, Pausable, @unchecked Sendable {
    private struct State {
        var waiting: [Event<Element>] = []
        var isScheduled = false
        var isHeld = false
        var isPaused = false
        var isDisposed = false
    }

    private let downstream: Sink<Element>
    private let scheduler: any ImmediateSchedulerType
    private let limits: ClosedRange<Int>?
    private let isStepping: Bool
    private let state = Locked(State())
    private let source = SingleAssignmentDisposable()
    private let work = SerialDisposable()

    init(to downstream: Sink<Element>, on scheduler: any ImmediateSchedulerType, buffering limits: ClosedRange<Int>?) {
        self.downstream = downstream
        self.scheduler = scheduler
        self.limits = limits
        isStepping = scheduler is any SteppingScheduler
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        source.setDisposable(subscription)
        downstream.begin(with: self)
    }

    override func next(_ element: Element) { enqueue(.next(element)) }
    override func error(_ error: any Error) { end(with: .error(error)) }
    override func completed() { end(with: .completed) }

    // The source is over at once, and not when the event's turn comes: it must not go on until then.
    private func end(with event: Event<Element>) {
        source.dispose()
        enqueue(event)
    }

    private func enqueue(_ event: Event<Element>) {
        let (isFirst, isFull) = state.withLock { state -> (Bool, Bool) in
            if state.isDisposed { return (false, false) }
            state.waiting.append(event)
            let isFull = limits.map { !state.isHeld && state.waiting.count >= $0.upperBound } ?? false
            if isFull { state.isHeld = true }
            return (claim(&state), isFull)
        }
        if isFull { updateSource() }
        if isFirst { schedule() }
    }

    private func updateSource() {
        pauseOrResume(source) { state.withLock { $0.isHeld } }
    }

    // Whether the caller has to schedule the work.
    private func claim(_ state: inout State) -> Bool {
        if state.isScheduled || state.isPaused || state.waiting.isEmpty { return false }
        state.isScheduled = true
        return true
    }

    private func schedule() {
        let handle = SingleAssignmentDisposable()
        work.disposable = handle
        handle.setDisposable(
            scheduler.schedule(self) { sink in
                sink.deliver()
                return Disposables.create()
            })
    }

    private func deliver() {
        let batch = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        var delivered = 0
        for event in batch {
            if state.withLock({ $0.isDisposed || $0.isPaused }) { break }
            delivered += 1
            downstream.on(event)
            if isStepping { break }
        }
        let (isMore, isLow) = state.withLock { state -> (Bool, Bool) in
            if state.isDisposed { return (false, false) }
            if delivered < batch.count { state.waiting.insert(contentsOf: batch[delivered...], at: 0) }
            state.isScheduled = false
            let isLow = limits.map { state.isHeld && state.waiting.count <= $0.lowerBound } ?? false
            if isLow { state.isHeld = false }
            return (claim(&state), isLow)
        }
        if isLow { updateSource() }
        if isMore { schedule() }
    }

    func dispose() {
        let waiting = state.withLock { state in
            state.isDisposed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        source.dispose()
        work.dispose()
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
        let isFirst = state.withLock { state in
            state.isPaused = false
            if limits == nil { state.isHeld = false }
            return claim(&state)
        }
        if isFirst { schedule() }
        if limits == nil { updateSource() }
    }
}
