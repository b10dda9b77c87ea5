/// What the source, and the stream whose elements separate what is gathered, have said: for `buffer` and `window`.
enum BoundarySignal<Element> {
    case source(Event<Element>)
    case boundary
    case failed(any Error)
}

extension Coordinator {
    /// Subscribes to the boundary first: one that speaks at once separates what follows.
    func subscribe<Element>(to source: Observable<Element>, separatedBy boundary: Observable<Void>)
    where Signal == BoundarySignal<Element> {
        boundary.subscribe(
            InnerObserver(of: self) { event in
                switch event {
                case .next: .boundary
                case .error(let error): .failed(error)
                case .completed: nil
                }
            })
        if !subscriptions.isDisposed { source.subscribe(InnerObserver(of: self) { .source($0) }) }
    }
}

extension Observable<Void> {
    /// An element at the first element of the stream that `closingSelector` makes; then it is asked anew.
    ///
    /// - Parameter empty: what stands for a stream that ends without an element.
    static func boundary<Closings: ObservableConvertibleType>(
        ifEmpty empty: Observable<Void>, _ closingSelector: @escaping @Sendable () throws -> Closings
    ) -> Observable<Void> {
        let closing = deferred { try closingSelector().asTick().ifEmpty(switchTo: empty) }
        return .concat(Swift.repeatElement(closing, count: .max))
    }
}
