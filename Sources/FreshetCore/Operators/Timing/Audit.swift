extension ObservableType {
    /// Starts a duration at an element, and emits the latest element when the duration ends. `durationSelector` returns
    /// a stream for the element, and the first element or the completion of that stream ends the duration.
    /// Source: RxJS's `audit`.
    ///
    ///     source:         -a-b----c-d-e|
    ///     audit(after 3): ----b------d---(e|)
    ///
    /// The next element starts the next duration. If the source completes during a duration, the stream emits the
    /// latest element at the end of the duration and completes. An error of any stream, also one that
    /// `durationSelector` throws, ends the stream at once.
    @preconcurrency
    public func audit<Duration: ObservableConvertibleType>(
        _ durationSelector: @escaping @Sendable (Element) throws -> Duration
    ) -> Observable<Element> {
        let source = asObservable()
        return Producer(after: source) { sink in
            let coordinator = AuditCoordinator(to: sink) { try durationSelector($0).asTick() }
            sink.begin(with: coordinator.subscriptions)
            source.subscribe(InnerObserver(of: coordinator) { .source($0) })
        }
    }
}

private final class AuditCoordinator<Element>: Coordinator<TickSignal<Element>, Element> {
    private let duration: (Element) throws -> Observable<Void>

    /// The latest element, or `nil` while no duration runs.
    private var latest: Element?
    private var hasEnded = false

    init(to downstream: Sink<Element>, _ duration: @escaping (Element) throws -> Observable<Void>) {
        self.duration = duration
        super.init(to: downstream)
    }

    override func handle(_ signal: TickSignal<Element>) {
        switch signal {
        case .source(.next(let element)): received(element)
        case .source(.completed):
            hasEnded = true
            if latest == nil { downstream.completed() }
        case .tick: send()
        case .source(.error(let error)), .failed(let error): downstream.error(error)
        }
    }

    private func received(_ element: Element) {
        let isFirst = latest == nil
        latest = element
        guard isFirst else { return }
        do {
            let duration = try duration(element)
            duration.subscribe(
                InnerObserver(of: self) { event in
                    switch event {
                    case .next: nil
                    case .error(let error): .failed(error)
                    case .completed: .tick
                    }
                })
        } catch {
            downstream.error(error)
        }
    }

    private func send() {
        guard let element = latest.take() else { return }
        downstream.next(element)
        if hasEnded, !subscriptions.isDisposed { downstream.completed() }
    }
}
