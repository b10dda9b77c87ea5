extension ObservableType {
    /// The elements, or `default` if there is none. Source: RxSwift's `ifEmpty(default:)`.
    public func ifEmpty(default: Element) -> Observable<Element> {
        let source = asObservable()
        let element = Seed(`default`)
        return source.linear { DefaultSink(to: $0, element.value) }
    }

    /// The elements, or those of `other` if there is none. Source: RxSwift's `ifEmpty(switchTo:)`.
    public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
        let source = asObservable()
        return source.linear { sink in
            let empty = SwitchIfEmptySink(to: sink, other)
            sink.begin(with: empty.current)
            return empty
        }
    }
}

private final class DefaultSink<Element>: ClosingPipe<Element, Element>, @unchecked Sendable {
    private let element: Element
    private var isEmpty = true

    init(to downstream: Sink<Element>, _ element: Element) {
        self.element = element
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        isEmpty = false
        downstream.next(element)
    }

    override func completed() {
        if isEmpty { finish(with: element) } else { downstream.completed() }
    }
}

private final class SwitchIfEmptySink<Element>: Pipe<Element, Element> {
    let current = SerialDisposable()
    /// `nil` once it is subscribed to, or is not needed any more.
    private var other: Observable<Element>?

    init(to downstream: Sink<Element>, _ other: Observable<Element>) {
        self.other = other
        super.init(to: downstream)
    }

    override func begin(with subscription: any Disposable) {
        current.disposable = subscription
    }

    override func next(_ element: Element) {
        other = nil
        downstream.next(element)
    }

    override func completed() {
        guard let other else { return downstream.completed() }
        self.other = nil
        other.subscribe(self)
    }
}
