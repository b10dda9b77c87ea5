import Synchronization

extension ObservableType {
    /// Passes each error to the stream that `notificationHandler` receives, and subscribes to the source again whenever
    /// the stream that `notificationHandler` returns emits. Source: RxSwift's `retry(when:)`.
    ///
    /// After the returned stream has completed or failed, the next error ends the retried stream in the same way. So
    /// `retry { $0.take(2) }` subscribes three times and then completes.
    @preconcurrency
    public func retry<Trigger: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> Observable<Element> {
        retry(casting: { $0 }, notificationHandler)
    }

    /// Does the same for errors of the type `Failure`. An error of another type ends the stream.
    /// Source: RxSwift's `retry(when:)`.
    @preconcurrency
    public func retry<Trigger: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
    ) -> Observable<Element> {
        retry(casting: { $0 as? Failure }, notificationHandler)
    }

    private func retry<Trigger: ObservableType, Failure>(
        casting cast: @escaping @Sendable (any Error) -> Failure?,
        _ notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
    ) -> Observable<Element> {
        let source = asObservable()
        return Producer(after: source) { downstream in
            let sink = RetryWhenSink<Element, Failure>(source, to: downstream, casting: cast)
            sink.start(with: notificationHandler(sink.failures).asObservable())
        }
    }
}

/// Subscribes to the source and the trigger. Attempts begin and fail as signals, one at a time. An attempt that fails within its
/// subscribing call is therefore followed by the next attempt from a loop. All other events of the source pass at once: it runs
/// alone, because the trigger has an effect only while no attempt runs.
private final class RetryWhenSink<Element, Failure>: Sink<Element>, SubscriptionOwner {
    enum Signal {
        case started
        case failed(any Error)
        case triggered
        case triggerEnded(Event<Never>)
    }

    let failures = PublishSubject<Failure>()
    private let source: Observable<Element>
    private let downstream: Sink<Element>
    private let cast: (any Error) -> Failure?
    private let drain = Drain<Signal>()
    private let current = SerialDisposable()
    private let subscriptions = CompositeDisposable()
    private let pauseState = PauseState()

    // Accessed only under the drain.
    private var isWaiting = false
    private var triggerEnd: Event<Never>?

    init(_ source: Observable<Element>, to downstream: Sink<Element>, casting cast: @escaping (any Error) -> Failure?) {
        self.source = source
        self.downstream = downstream
        self.cast = cast
    }

    func start<Trigger>(with trigger: Observable<Trigger>) {
        subscriptions.insert(current)
        downstream.begin(with: OwnedSubscription(of: self))
        if subscriptions.isDisposed { return }
        trigger.subscribe(TriggerSink(for: self))
        submit(.started)
    }

    override func begin(with subscription: any Disposable & AnyObject) { current.disposable = subscription }
    override func next(_ element: Element) { downstream.next(element) }
    override func completed() { downstream.completed() }

    override func error(_ error: any Error) {
        // The subscription ends before the signal is handled, so that the source does not continue until then.
        current.disposable = Disposables.create()
        submit(.failed(error))
    }

    func dispose() { subscriptions.dispose() }

    func pause() {
        pauseState.begin()
        subscriptions.pause()
    }

    func resume() {
        let (_, hasDeferredWork) = pauseState.end()
        subscriptions.resume()
        if hasDeferredWork { submit(.triggered) }
    }

    private func submit(_ signal: @autoclosure () -> Signal) {
        drain.submit(signal(), to: handle)
    }

    private func handle(_ signal: Signal) {
        if subscriptions.isDisposed { return }
        switch signal {
        case .started:
            source.subscribe(self)
        case .failed(let error):
            guard let failure = cast(error) else { return downstream.error(error) }
            if let triggerEnd { return end(with: triggerEnd) }
            isWaiting = true
            failures.onNext(failure)
        case .triggered:
            // A trigger that emits while the source runs has no effect, and no attempt starts while downstream has
            // paused, except of a hot source, which would lose elements.
            if !isWaiting || (!source.isHot && pauseState.defersDueWork()) { return }
            isWaiting = false
            source.subscribe(self)
        case .triggerEnded(let event):
            triggerEnd = event
            if isWaiting { end(with: event) }
        }
    }

    private func end(with event: Event<Never>) {
        if let error = event.error { downstream.error(error) } else { downstream.completed() }
    }

    private final class TriggerSink<Trigger>: Sink<Trigger> {
        private let retry: RetryWhenSink
        private var key: CompositeDisposable.DisposeKey?

        init(for retry: RetryWhenSink) {
            self.retry = retry
        }

        override func begin(with subscription: any Disposable & AnyObject) {
            key = retry.subscriptions.insert(subscription)
        }
        override func next(_ element: Trigger) { retry.submit(.triggered) }
        override func error(_ error: any Error) { end(with: .error(error)) }
        override func completed() { end(with: .completed) }

        private func end(with event: Event<Never>) {
            if let key { retry.subscriptions.remove(for: key) }
            retry.submit(.triggerEnded(event))
        }
    }
}
