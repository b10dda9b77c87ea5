extension ObservableType {
    /// Emits the elements of the source, or `default` if the source completes without an element.
    /// Source: RxSwift's `ifEmpty(default:)`.
    public func ifEmpty(default: Element) -> Observable<Element> {
        asObservable().linear { DefaultSink(to: $0, `default`) }
    }

    /// Emits the elements of the source, or those of `other` if the source completes without an element.
    /// Source: RxSwift's `ifEmpty(switchTo:)`.
    public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
        let source = asObservable()
        return Producer(after: [source, other]) { SequentialSubscriber.run(IfEmptyProvider(source, other), to: $0) }
    }
}

private final class DefaultSink<Element>: ClosingOperatorSink<Element, Element> {
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

private final class IfEmptyProvider<Element>: SourceProvider<Element> {
    private let source: Observable<Element>
    /// The replacement. It is `nil` after the subscriber has received it, or after the source has emitted an element.
    fileprivate var other: Observable<Element>?

    init(_ source: Observable<Element>, _ other: Observable<Element>) {
        self.source = source
        self.other = other
    }

    override var isDone: Bool { other == nil }

    override func source(after end: Event<Never>?, for subscriber: Downstream) -> Observable<Element>? {
        guard let end else { return source.linear { WatchingSink(to: $0, for: self) } }
        return end.isCompleted ? other.take() : nil
    }
}

private final class WatchingSink<Element>: OperatorSink<Element, Element> {
    private let provider: IfEmptyProvider<Element>

    init(to downstream: Sink<Element>, for provider: IfEmptyProvider<Element>) {
        self.provider = provider
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        provider.other = nil
        downstream.next(element)
    }
}
