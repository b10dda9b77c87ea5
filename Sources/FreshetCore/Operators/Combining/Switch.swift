extension ObservableType {
    /// A stream for each element, until the next element replaces it. Source: RxSwift's `flatMapLatest`.
    @preconcurrency
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        let source = asObservable()
        return Producer { source.run(SwitchSink(to: $0, selector)) }
    }

    /// A stream for an element, unless the one before still runs; then the element is dropped.
    /// Source: RxSwift's `flatMapFirst`.
    @preconcurrency
    public func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        let source = asObservable()
        return Producer { source.run(FirstSink(to: $0, selector)) }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// The newest of the streams in `self`, until the next replaces it. Source: RxSwift's `switchLatest`.
    public func switchLatest() -> Observable<Element.Element> {
        flatMapLatest { $0 }
    }
}

private final class SwitchSink<Element, Source: ObservableConvertibleType>: Flattening<Element, Source>,
    @unchecked Sendable
{
    private var latest = -1

    override func accept(_ element: Element) {
        cancelInner(latest)
        latest = start(element)
    }
}

private final class FirstSink<Element, Source: ObservableConvertibleType>: Flattening<Element, Source>,
    @unchecked Sendable
{
    override func accept(_ element: Element) {
        if running == 0 { start(element) }
    }
}
