extension ObservableType {
    /// The elements before `other` emits its first; then the end. Source: RxSwift's `take(until:)`.
    ///
    /// `other` is subscribed to first. An error of either one is passed on; a mere end of `other` changes nothing.
    public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
        let source = asObservable()
        let other = other.asObservable()
        return Producer(after: source) { sink in
            let coordinator = Forwarding(to: sink)
            sink.begin(with: coordinator)
            let otherLeg = InnerObserver<Source.Element, Event<Element>>(of: coordinator) { event in
                switch event {
                case .next: .completed
                case .error(let error): .error(error)
                case .completed: nil
                }
            }
            other.subscribe(otherLeg)
            if !coordinator.subscriptions.isDisposed { source.subscribe(InnerObserver(of: coordinator) { $0 }) }
        }
    }
}

/// Signals that are the events downstream.
final class Forwarding<Element>: Coordinator<Event<Element>>, @unchecked Sendable {
    private let downstream: Sink<Element>

    init(to downstream: Sink<Element>) {
        self.downstream = downstream
    }

    override func handle(_ event: Event<Element>) {
        downstream.on(event)
    }
}
