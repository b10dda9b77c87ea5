extension ObservableType {
    /// The elements before `other` emits its first; then the end. Source: RxSwift's `take(until:)`.
    ///
    /// `other` is subscribed to first. An error of either one is passed on; a mere end of `other` changes nothing.
    public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
        let source = asObservable()
        let other = other.asObservable()
        return Producer(after: source) { sink in
            let junction = Forwarding(to: sink)
            sink.begin(with: junction)
            let otherLeg = Leg<Source.Element, Event<Element>>(of: junction) { event in
                switch event {
                case .next: .completed
                case .error(let error): .error(error)
                case .completed: nil
                }
            }
            other.subscribe(otherLeg)
            if !junction.subscriptions.isDisposed { source.subscribe(Leg(of: junction) { $0 }) }
        }
    }
}

/// Signals that are the events downstream.
final class Forwarding<Element>: Junction<Event<Element>>, @unchecked Sendable {
    private let downstream: Sink<Element>

    init(to downstream: Sink<Element>) {
        self.downstream = downstream
    }

    override func handle(_ event: Event<Element>) {
        downstream.on(event)
    }
}
