extension ObservableType {
    /// Emits each element together with the previous one, beginning with the second element. Source: RxJS's `pairwise`.
    ///
    ///     Observable.of(1, 2, 3).pairwise()  // (1, 2), (2, 3)
    @_disfavoredOverload  // See `partition(_:)`.
    public func pairwise() -> Observable<(Element, Element)> {
        asObservable().linear { PairwiseSink(to: $0) }
    }
}

private final class PairwiseSink<Element>: OperatorSink<Element, (Element, Element)> {
    private var last: Element?

    override func next(_ element: Element) {
        if let last { downstream.next((last, element)) }
        last = element
    }
}
