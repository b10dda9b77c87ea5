extension ObservableType {
    /// The first `count` elements, then the end, without waiting for another. Source: RxSwift's `take`.
    ///
    /// With a count of zero the source is not subscribed to. A negative count is a programmer's error.
    @inlinable
    public func take(_ count: Int) -> Observable<Element> {
        precondition(count >= 0, "take(\(count)): the count can't be negative")
        if count == 0 { return .empty() }
        return asObservable().linear { TakeSink(to: $0, count) }
    }
}

@usableFromInline
final class TakeSink<Element>: ClosingOperatorSink<Element, Element> {
    // Unchecked: with checks here and in `scan`, `scan`, `take` and `map` take 1.6 times as long.
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
        // An observer that makes the source emit again finds the count right, and the end comes after both.
        let isLast = remaining == 0
        if isLast { finish(with: element) } else { downstream.next(element) }
    }
}
