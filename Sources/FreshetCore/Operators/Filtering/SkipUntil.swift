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
            sink.begin(with: coordinator)
            source.subscribe(InnerObserver(of: coordinator) { .source($0) })
            if coordinator.subscriptions.isDisposed { return }
            // Only the first element of `other` matters.
            other.take(1).subscribe(
                InnerObserver(of: coordinator) { event in
                    switch event {
                    case .next: .opened
                    case .error(let error): .source(.error(error))
                    case .completed: nil
                    }
                })
        }
    }
}

private enum SkipSignal<Element> {
    case source(Event<Element>)
    case opened
}

private final class SkipCoordinator<Element>: Coordinator<SkipSignal<Element>>, @unchecked Sendable {
    private let downstream: Sink<Element>
    private var isOpen = false

    init(to downstream: Sink<Element>) {
        self.downstream = downstream
    }

    override func handle(_ signal: SkipSignal<Element>) {
        switch signal {
        case .opened: isOpen = true
        case .source(.error(let error)): downstream.error(error)
        case .source(let event): if isOpen { downstream.on(event) } else if event.isCompleted { dispose() }
        }
    }
}
