extension ObservableType {
    /// Emits windows, which are streams of the elements. The first window begins with the subscription, and each
    /// element of `boundary` ends a window and begins the next one.
    /// Source: RxJava's `window(boundary)`, RxJS's `window`.
    ///
    ///     source:                     -a-b-c--d-e|
    ///     boundary:                   ----x-x--x--
    ///     window(boundary: boundary): A---B-C--D-|  A = -a-b|, B = -c|, C = --d|, D = -e|
    ///
    /// The completion of the source, or an error of either stream, ends the current window and then the stream of
    /// windows. The completion of `boundary` has no effect, as in RxJS. The subscriptions to the source and to
    /// `boundary` last as long as there is a subscriber to the stream of windows or to a window, and are paused while
    /// all these subscribers are paused.
    public func window<Boundary: ObservableConvertibleType>(boundary: Boundary) -> Observable<Observable<Element>> {
        windows(separatedBy: boundary.asObservable().map { _ in })
    }

    /// Emits windows, which are streams of the elements. The first window begins with the subscription. The first
    /// element or the completion of the stream that `closingSelector` returns ends a window and begins the next one,
    /// and the operator calls `closingSelector` again. Source: RxJS's `windowWhen`.
    ///
    ///     source:                           -a-b-c--d-e|
    ///     window(closingSelector: after 3): A--B--C--D-|  A = -a-(b|), B = --c|, C = --d|, D = -e|
    ///
    /// The completion of the source, an error of any stream, or an error that `closingSelector` throws ends the
    /// current window and then the stream of windows. While all subscribers are paused, the operator does not request
    /// another closing stream. If each closing stream ends at once, the operator requests closing streams and emits
    /// windows until the subscription is disposed of.
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
            sink.begin(with: coordinator.parent)
            coordinator.open()
            if !coordinator.subscriptions.isDisposed { coordinator.subscribe(to: source, separatedBy: boundary) }
        }
    }
}

private final class WindowBoundary<Element>: Coordinator<TickSignal<Element>, Observable<Element>> {
    private var current: PublishSubject<Element>?
    private(set) lazy var parent = ParentSubscription(subscriptions)

    func open() {
        // No observer could subscribe to a window that is not emitted.
        if parent.isDisposed { return }
        let window = PublishSubject<Element>()
        current = window
        downstream.next(window.streamOfChild(parent))
    }

    private func close(_ end: (PublishSubject<Element>) -> Void) {
        if let window = current.take() { end(window) }
    }

    override func handle(_ signal: TickSignal<Element>) {
        switch signal {
        case .source(.next(let element)): current?.onNext(element)
        case .tick:
            close { $0.onCompleted() }
            open()
        case .source(.completed):
            parent.finish()
            close { $0.onCompleted() }
            if !parent.isDisposed { downstream.completed() }
        case .source(.error(let error)), .failed(let error):
            parent.finish()
            close { $0.onError(error) }
            if !parent.isDisposed { downstream.error(error) }
        }
    }
}
