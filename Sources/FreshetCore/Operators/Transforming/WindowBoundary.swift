extension ObservableType {
    /// Streams of elements, the first with the subscription: each element of `boundary` ends one and begins the next.
    /// Source: RxJava's `window(boundary)`, RxJS's `window`.
    ///
    ///     source:                     -a-b-c--d-e|
    ///     boundary:                   ----x-x--x--
    ///     window(boundary: boundary): A---B-C--D-|  A = -a-b|, B = -c|, C = --d|, D = -e|
    ///
    /// The end of the source, or an error of either, ends the window and then the stream of windows; the end of `boundary`
    /// changes nothing, as in RxJS. The sources are subscribed to as long as anybody is subscribed to that or to a window,
    /// and held when all of them hold.
    public func window<Boundary: ObservableConvertibleType>(boundary: Boundary) -> Observable<Observable<Element>> {
        windows(separatedBy: boundary.asObservable().map { _ in })
    }

    /// Streams of elements, the first with the subscription: the first element, or else the end, of the stream that
    /// `closingSelector` makes ends one and begins the next; then it is asked anew. Source: RxJS's `windowWhen`.
    ///
    ///     source:                           -a-b-c--d-e|
    ///     window(closingSelector: after 3): A--B--C--D-|  A = -a-(b|), B = --c|, C = --d|, D = -e|
    ///
    /// The end of the source, or an error of any, also one that `closingSelector` throws, ends the window and then the
    /// stream of windows. While all subscribers hold no other stream is asked for. If each stream ends at once, the next is
    /// asked for until somebody disposes, and windows come without an end.
    @preconcurrency
    public func window<Closings: ObservableConvertibleType>(
        closingSelector: @escaping @Sendable () throws -> Closings
    ) -> Observable<Observable<Element>> {
        windows(separatedBy: .boundary(ifEmpty: .just(()), closingSelector))
    }

    private func windows(separatedBy boundary: Observable<Void>) -> Observable<Observable<Element>> {
        let source = asObservable()
        return Producer(after: source) { sink in
            let coordinator = WindowBoundary(to: sink)
            sink.begin(with: coordinator.lent)
            coordinator.open()
            if !coordinator.subscriptions.isDisposed { coordinator.subscribe(to: source, separatedBy: boundary) }
        }
    }
}

private final class WindowBoundary<Element>: Coordinator<BoundarySignal<Element>>, @unchecked Sendable {
    private let downstream: Sink<Observable<Element>>
    private var current: PublishSubject<Element>?
    private(set) lazy var lent = ParentSubscription(subscriptions)

    init(to downstream: Sink<Observable<Element>>) {
        self.downstream = downstream
    }

    func open() {
        // Nobody could come to a window that nobody was given.
        if lent.isDisposed { return }
        let window = PublishSubject<Element>()
        current = window
        downstream.next(window.streamOfChild(lent))
    }

    private func close(_ end: (PublishSubject<Element>) -> Void) {
        let window = current
        current = nil
        if let window { end(window) }
    }

    override func handle(_ signal: BoundarySignal<Element>) {
        switch signal {
        case .source(.next(let element)): current?.onNext(element)
        case .boundary:
            close { $0.onCompleted() }
            open()
        case .source(.completed):
            lent.finish()
            close { $0.onCompleted() }
            if !lent.isDisposed { downstream.completed() }
        case .source(.error(let error)), .failed(let error):
            lent.finish()
            close { $0.onError(error) }
            if !lent.isDisposed { downstream.error(error) }
        }
    }
}
