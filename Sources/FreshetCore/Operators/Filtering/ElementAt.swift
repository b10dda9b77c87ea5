extension ObservableType {
    /// Emits the element at `index`, counted from zero, then completes. If the stream is shorter, it fails with
    /// ``RxError/argumentOutOfRange``. Source: RxSwift's `element(at:)`.
    public func element(at index: Int) -> Observable<Element> {
        precondition(index >= 0, "element(at: \(index)): the index can't be negative")
        return asObservable().linear { ElementAtSink(to: $0, index) }
    }

    /// Emits the first element, or `nil` if the stream completes without one. Source: RxSwift's `first`.
    public func first() -> Single<Element?> {
        PrimitiveSequence(raw: asObservable().linear { FirstElementSink(to: $0) })
    }

    /// Drops all elements, and passes on only the stop event. Source: RxSwift's `ignoreElements`.
    public func ignoreElements() -> Observable<Never> {
        asObservable().linear { IgnoringSink(to: $0) }
    }
}

private final class ElementAtSink<Element>: ClosingOperatorSink<Element, Element> {
    private var remaining: Int

    init(to downstream: Sink<Element>, _ index: Int) {
        remaining = index
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        remaining -= 1
        if remaining == -1 { finish(with: element) }
    }

    override func completed() {
        downstream.error(RxError.argumentOutOfRange)
    }
}

private final class FirstElementSink<Element>: ClosingOperatorSink<Element, Element?> {
    private var hasElement = false

    override func next(_ element: Element) {
        if hasElement { return }
        hasElement = true
        finish(with: element)
    }

    override func completed() {
        finish(with: nil)
    }
}

private final class IgnoringSink<Element>: OperatorSink<Element, Never> {}
