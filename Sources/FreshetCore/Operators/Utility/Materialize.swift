extension ObservableType {
    /// The events themselves as elements; the stop event is the last one. Source: RxSwift's `materialize`.
    public func materialize() -> Observable<Event<Element>> {
        return asObservable().linear { MaterializeSink(to: $0) }
    }
}

extension ObservableType where Element: EventConvertible {
    /// The stream whose events these elements are. Source: RxSwift's `dematerialize`.
    public func dematerialize() -> Observable<Element.Element> {
        return asObservable().linear { DematerializeSink(to: $0) }
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
