extension ObservableType {
    /// Emits a window, which is a stream of the elements, at each element of `openings`. The first element of the
    /// stream that `closingSelector` returns for that opening ends the window. Source: RxJS's `windowToggle`.
    ///
    ///     source:                          -a-b-c-d-e-|
    ///     openings:                        --x---y-----
    ///     windowToggle(openings, after 3): --A---B----|  A = -b-(c|), B = -d-(e|)
    ///
    /// Windows can overlap. The completion of the source, or an error of any stream, ends the open windows and then the
    /// stream of windows. The subscriptions to the source, to `openings` and to the closing streams last as long as
    /// there is a subscriber to the stream of windows or to a window.
    @preconcurrency
    public func windowToggle<Openings: ObservableConvertibleType, Closings: ObservableConvertibleType>(
        _ openings: Openings, closingSelector: @escaping @Sendable (Openings.Element) throws -> Closings
    ) -> Observable<Observable<Element>> {
        let source = asObservable()
        let openings = openings.asObservable()
        return Producer(after: source) { sink in
            let coordinator = WindowToggle<Element, Openings.Element>(to: sink) { try closingSelector($0).asTick() }
            sink.begin(with: coordinator.parent)
            coordinator.subscribe(to: source, openings)
        }
    }
}

private final class WindowToggle<Element, Opening>: ToggleCoordinator<Element, Opening, Observable<Element>> {
    private var open: [(number: Int, window: PublishSubject<Element>)] = []
    private(set) lazy var parent = ParentSubscription(subscriptions)

    override func received(_ element: Element) {
        for (_, window) in open { window.onNext(element) }
    }

    override func opened(_ number: Int) {
        let window = PublishSubject<Element>()
        open.append((number, window))
        // No observer could subscribe to a window that is not emitted.
        if parent.isDisposed { open.removeLast() } else { downstream.next(window.streamOfChild(parent)) }
    }

    override func closed(_ number: Int) {
        guard let index = open.firstIndex(where: { $0.number == number }) else { return }
        open.remove(at: index).window.onCompleted()
    }

    override func failed(_ error: any Error) {
        parent.finish()
        for (_, window) in open { window.onError(error) }
        if !parent.isDisposed { downstream.error(error) }
    }

    override func ended() {
        parent.finish()
        for (_, window) in open { window.onCompleted() }
        if !parent.isDisposed { downstream.completed() }
    }
}
