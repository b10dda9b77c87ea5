extension Coordinator {
    /// Subscribes to the boundary and then to the source. An element that the boundary emits at once therefore precedes
    /// the elements of the source.
    func subscribe<Element>(to source: Observable<Element>, separatedBy boundary: Observable<Void>)
    where Signal == TickSignal<Element> {
        subscribe(to: boundary, next: { _ in .tick }, error: { .failed($0) })
        if !subscriptions.isDisposed { source.subscribe(InnerObserver(of: self) { .source($0) }) }
    }
}

extension Observable<Void> {
    /// Emits an element at the first element of the stream that `closingSelector` returns, and then calls
    /// `closingSelector` again.
    ///
    /// - Parameter empty: the replacement for a stream that completes without an element.
    static func boundary<Closings: ObservableConvertibleType>(
        ifEmpty empty: Observable<Void>, _ closingSelector: @escaping @Sendable () throws -> Closings
    ) -> Observable<Void> {
        let closing = deferred { try closingSelector().asTick().ifEmpty(switchTo: empty) }
        return .concat(Swift.repeatElement(closing, count: .max))
    }
}
