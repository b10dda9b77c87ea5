extension ObservableType {
    /// Emits the first `count` elements, and completes with the last of them, without waiting for another element.
    /// Source: RxSwift's `take`.
    ///
    /// If the count is zero, the operator does not subscribe to the source. A negative count is a programming error.
    @inlinable
    public func take(_ count: Int) -> Observable<Element> {
        precondition(count >= 0, "take(\(count)): the count can't be negative")
        if count == 0 { return .empty() }
        return asObservable().linear { TakeSink(to: $0, count) }
    }
}

@usableFromInline
final class TakeSink<Element>: ClosingOperatorSink<Element, Element> {
    // Exclusivity checks here and in `scan` make a chain of `scan`, `take` and `map` take 1.6 times as long.
    @exclusivity(unchecked) @usableFromInline var remaining: Int

    @inlinable
    init(to downstream: Sink<Element>, _ count: Int) {
        remaining = count
        super.init(to: downstream)
    }

    @inlinable
    override func next(_ element: Element) {
        guard remaining > 0 else { return }
        remaining -= 1
        // The observer can make the source emit again within this call, so the count is updated first and the end is
        // sent last.
        let isLast = remaining == 0
        if isLast { finish(with: element) } else { downstream.next(element) }
    }
}
