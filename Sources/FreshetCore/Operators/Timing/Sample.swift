extension ObservableType {
    /// Emits the latest element whenever `sampler` emits, if a new element has arrived. Otherwise it emits
    /// `defaultValue`, if there is one. Source: RxSwift's `sample(_:defaultValue:)`.
    ///
    ///     source:          -a-b-----c--|
    ///     sampler:         ----x--x--x--x
    ///     sample(sampler): ----b-----c--|
    ///
    /// The completion of the sampler counts as a last sample. After the source has completed, the stream completes at
    /// the next sample.
    public func sample<Source: ObservableType>(
        _ sampler: Source, defaultValue: Element? = nil
    ) -> Observable<Element> {
        let source = asObservable()
        let sampler = sampler.asObservable()
        return Producer(after: source) { sink in
            let coordinator = SampleCoordinator(to: sink, defaultValue: defaultValue)
            sink.begin(with: coordinator.subscriptions)
            source.subscribe(InnerObserver(of: coordinator) { .source($0) })
            if coordinator.subscriptions.isDisposed { return }
            sampler.subscribe(
                InnerObserver(of: coordinator) { event in
                    if let error = event.error { .failed(error) } else { .tick }
                })
        }
    }
}

private final class SampleCoordinator<Element>: Coordinator<TickSignal<Element>, Element> {
    private let defaultValue: Element?
    private var latest: Element?
    private var hasEnded = false

    init(to downstream: Sink<Element>, defaultValue: Element?) {
        self.defaultValue = defaultValue
        super.init(to: downstream)
    }

    override func handle(_ signal: TickSignal<Element>) {
        switch signal {
        case .source(.next(let element)): latest = element
        case .source(.completed): hasEnded = true
        case .tick: tick()
        case .source(.error(let error)), .failed(let error): downstream.error(error)
        }
    }

    private func tick() {
        if let sample = latest.take() ?? defaultValue { downstream.next(sample) }
        if hasEnded, !subscriptions.isDisposed { downstream.completed() }
    }
}
