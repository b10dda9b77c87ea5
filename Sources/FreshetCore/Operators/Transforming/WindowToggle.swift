extension ObservableType {
    /// Streams of elements: each element of `openings` begins one, and the first element of what `closingSelector` makes of
    /// it ends it. Source: RxJS's `windowToggle`.
    ///
    ///     source:                          -a-b-c-d-e-|
    ///     openings:                        --x---y-----
    ///     windowToggle(openings, after 3): --A---B----|  A = -b-(c|), B = -d-(e|)
    ///
    /// Windows may overlap. The end of the source, or an error of any stream, ends those that are open and then the stream
    /// of windows. The sources are subscribed to as long as anybody is subscribed to that or to a window.
    @preconcurrency
    public func windowToggle<Openings: ObservableConvertibleType, Closings: ObservableConvertibleType>(
        _ openings: Openings, closingSelector: @escaping @Sendable (Openings.Element) throws -> Closings
    ) -> Observable<Observable<Element>> {
        let source = asObservable()
        let openings = openings.asObservable()
        return Producer(after: source) { sink in
            let coordinator = WindowToggle<Element, Openings.Element>(to: sink) { try closingSelector($0).asTick() }
            sink.begin(with: coordinator.lent)
            coordinator.subscribe(to: source, openings)
        }
    }
}

private final class WindowToggle<Element, Opening>: ToggleCoordinator<Element, Opening>, @unchecked Sendable {
    private let downstream: Sink<Observable<Element>>
    private var open: [(number: Int, window: PublishSubject<Element>)] = []
    private(set) lazy var lent = ParentSubscription(subscriptions)

    init(to downstream: Sink<Observable<Element>>, _ closing: @escaping (Opening) throws -> Observable<Void>) {
        self.downstream = downstream
        super.init(closing)
    }

    override func received(_ element: Element) {
        for (_, window) in open { window.onNext(element) }
    }

    override func opened(_ number: Int) {
        let window = PublishSubject<Element>()
        open.append((number, window))
        // Nobody could come to a window that nobody was given.
        if lent.isDisposed { open.removeLast() } else { downstream.next(window.streamOfChild(lent)) }
    }

    override func closed(_ number: Int) {
        guard let index = open.firstIndex(where: { $0.number == number }) else { return }
        open.remove(at: index).window.onCompleted()
    }

    override func failed(_ error: any Error) {
        lent.finish()
        for (_, window) in open { window.onError(error) }
        if !lent.isDisposed { downstream.error(error) }
    }

    override func ended() {
        lent.finish()
        for (_, window) in open { window.onCompleted() }
        if !lent.isDisposed { downstream.completed() }
    }
}
