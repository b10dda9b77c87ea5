extension ObservableType {
    /// Emits the events of the stream as elements. The stop event is the last element. Source: RxSwift's `materialize`.
    public func materialize() -> Observable<Event<Element>> {
        asObservable().linear { MaterializeSink(to: $0) }
    }
}

extension ObservableType where Element: EventConvertible {
    /// Emits the events that the elements contain. Source: RxSwift's `dematerialize`.
    public func dematerialize() -> Observable<Element.Element> {
        asObservable().linear { DematerializeSink(to: $0) }
    }
}

private final class MaterializeSink<Element>: ClosingOperatorSink<Element, Event<Element>> {
    override func next(_ element: Element) { downstream.next(.next(element)) }
    override func error(_ error: any Error) { finish(with: .error(error)) }
    override func completed() { finish(with: .completed) }
}

private final class DematerializeSink<Element: EventConvertible>: OperatorSink<Element, Element.Element> {
    override func next(_ element: Element) { downstream.on(element.event) }
}
