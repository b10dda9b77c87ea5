extension ObservableType {
    /// Emits an array of all elements when the stream completes. Source: RxSwift's `toArray`.
    public func toArray() -> Single<[Element]> {
        PrimitiveSequence(raw: asObservable().linear { ToArraySink(to: $0) })
    }
}

private final class ToArraySink<Element>: ClosingOperatorSink<Element, [Element]> {
    private var elements: [Element] = []

    override func next(_ element: Element) {
        elements.append(element)
    }

    override func completed() {
        finish(with: elements)
    }
}
