extension ObservableType {
    /// Emits the last `count` elements when the stream completes. Source: RxSwift's `takeLast`.
    ///
    /// A negative count is a programming error.
    public func takeLast(_ count: Int) -> Observable<Element> {
        precondition(count >= 0, "takeLast(\(count)): the count can't be negative")
        return asObservable().linear { TakeLastSink(to: $0, count) }
    }
}

private final class TakeLastSink<Element>: ClosingOperatorSink<Element, Element> {
    private let count: Int
    private var elements = Fifo<Element>()

    init(to downstream: Sink<Element>, _ count: Int) {
        self.count = count
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        elements.append(element)
        if elements.count > count { _ = elements.popFirst() }
    }

    override func completed() {
        while !isDisposed, let element = elements.popFirst() { downstream.next(element) }
        if !isDisposed { downstream.completed() }
    }
}
