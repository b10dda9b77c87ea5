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
        return Producer(after: source) { downstream in
            let sink = SampleSink(to: downstream, defaultValue: defaultValue)
            source.subscribe(sink)
            if !sink.subscriptions.isDisposed { sampler.subscribe(SamplerSink(for: sink)) }
        }
    }
}

private final class SampleSink<Element>: Sink<Element> {
    enum Signal {
        case element(Element)
        case ended
        case failed(any Error)
        case tick
    }

    let subscriptions = CompositeDisposable()
    private let source = SingleAssignmentDisposable()
    private let downstream: Sink<Element>
    private let defaultValue: Element?
    private let drain = Drain<Signal>()

    // Accessed only under the drain.
    private var latest: Element?
    private var hasEnded = false

    init(to downstream: Sink<Element>, defaultValue: Element?) {
        self.downstream = downstream
        self.defaultValue = defaultValue
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        source.setDisposable(subscription)
        subscriptions.insert(source)
        downstream.begin(with: subscriptions)
    }

    override func next(_ element: Element) { submit(.element(element)) }
    override func error(_ error: any Error) { submit(.failed(error)) }

    override func completed() {
        source.dispose()
        submit(.ended)
    }

    func submit(_ signal: @autoclosure () -> Signal) {
        drain.submit(signal(), to: handle)
    }

    private func handle(_ signal: Signal) {
        if subscriptions.isDisposed { return }
        switch signal {
        case .element(let element): latest = element
        case .ended: hasEnded = true
        case .failed(let error): downstream.error(error)
        case .tick: tick()
        }
    }

    private func tick() {
        let sample = latest ?? defaultValue
        latest = nil
        if let sample { downstream.next(sample) }
        if hasEnded, !subscriptions.isDisposed { downstream.completed() }
    }
}

private final class SamplerSink<Tick, Element>: Sink<Tick> {
    private let sample: SampleSink<Element>
    private var key: CompositeDisposable.DisposeKey?

    init(for sample: SampleSink<Element>) {
        self.sample = sample
    }

    override func begin(with subscription: any Disposable & AnyObject) {
        key = sample.subscriptions.insert(subscription)
    }
    override func next(_ element: Tick) { sample.submit(.tick) }
    override func error(_ error: any Error) { end(with: .failed(error)) }
    override func completed() { end(with: .tick) }

    private func end(with signal: SampleSink<Element>.Signal) {
        if let key { sample.subscriptions.remove(for: key) }
        sample.submit(signal)
    }
}
