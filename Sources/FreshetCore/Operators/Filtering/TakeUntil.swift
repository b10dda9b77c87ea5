extension ObservableType {
    /// Emits the elements that arrive before the first element of `other`, then completes.
    /// Source: RxSwift's `take(until:)`.
    ///
    /// The operator subscribes to `other` first. An error of either stream is passed on. If `other` completes without
    /// an element, the stream continues.
    public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
        let source = asObservable()
        let other = other.asObservable()
        return Producer(after: source) { sink in
            let coordinator = ForwardingCoordinator(to: sink)
            sink.begin(with: coordinator.subscriptions)
            coordinator.subscribe(to: other, next: { _ in .completed }, error: { .error($0) })
            if !coordinator.subscriptions.isDisposed { source.subscribe(InnerObserver(of: coordinator) { $0 }) }
        }
    }
}
