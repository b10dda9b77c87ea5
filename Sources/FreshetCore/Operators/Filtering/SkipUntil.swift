import Synchronization

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
            source.subscribe(InnerObserver(of: coordinator, coordinator.received))
            if coordinator.subscriptions.isDisposed { return }
            // Only the first element of `other` matters.
            other.take(1).subscribe(InnerObserver(of: coordinator, coordinator.otherReceived))
        }
    }
}

/// The other stream opens the operator without a turn, so that an element of the source never has to wait for another thread,
/// which would then deliver it.
private final class SkipCoordinator<Element>: ForwardingCoordinator<Element> {
    private let isOpen = Atomic<Bool>(false)

    func received(_ event: Event<Element>) -> Event<Element>? {
        if isOpen.load(ordering: .acquiring) || event.error != nil { return event }
        if event.isCompleted { subscriptions.dispose() }
        return nil
    }

    func otherReceived<Other>(_ event: Event<Other>) -> Event<Element>? {
        switch event {
        case .next: isOpen.store(true, ordering: .releasing)
        case .error(let error): return .error(error)
        case .completed: break
        }
        return nil
    }
}
