extension ObservableType {
    /// Emits the elements that arrive after the first element of `other`. Source: RxSwift's `skip(until:)`.
    ///
    /// An error of either stream is passed on. If `self` completes before `other` emits, the stream never emits an
    /// event.
    public func skip<Source: ObservableType>(until other: Source) -> Observable<Element> {
        let source = asObservable()
        let other = other.asObservable()
        return Producer(after: source) { sink in
            let coordinator = SkipCoordinator(to: sink)
            sink.begin(with: coordinator.subscriptions)
            source.subscribe(InnerObserver(of: coordinator) { .source($0) })
            if coordinator.subscriptions.isDisposed { return }
            // Only the first element of `other` matters.
            coordinator.subscribe(to: other.take(1), next: { _ in .opened }, error: { .source(.error($0)) })
        }
    }
}

private enum SkipSignal<Element> {
    case source(Event<Element>)
    case opened
}

private final class SkipCoordinator<Element>: Coordinator<SkipSignal<Element>> {
    private let downstream: Sink<Element>
    private var isOpen = false

    init(to downstream: Sink<Element>) {
        self.downstream = downstream
    }

    override func handle(_ signal: SkipSignal<Element>) {
        switch signal {
        case .opened: isOpen = true
        case .source(.error(let error)): downstream.error(error)
        case .source(let event) where isOpen: downstream.on(event)
        case .source(let event): if event.isCompleted { subscriptions.dispose() }
        }
    }
}
