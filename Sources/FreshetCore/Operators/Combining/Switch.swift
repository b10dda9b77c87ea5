extension ObservableType {
    /// Subscribes to a stream for each element, and disposes of the stream of the previous element.
    /// Source: RxSwift's `flatMapLatest`.
    ///
    /// While the operator is paused, a new element also replaces what the previous stream has not emitted yet.
    @inlinable
    @preconcurrency
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        let stream: @Sendable (Element) throws -> Observable<Source.Element> = { try selector($0).asObservable() }
        return asObservable().linear { SwitchSink(to: $0, stream) }
    }

    /// Subscribes to a stream for an element unless the previous stream still runs. In that case the element is
    /// dropped. Source: RxSwift's `flatMapFirst`.
    ///
    /// A stream that is paused before its end still runs, also a sequence such as `from`.
    @inlinable
    @preconcurrency
    public func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        let stream: @Sendable (Element) throws -> Observable<Source.Element> = { try selector($0).asObservable() }
        return asObservable().linear { FirstSink(to: $0, stream) }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Subscribes to each stream in `self`, and disposes of the previous one. Source: RxSwift's `switchLatest`.
    public func switchLatest() -> Observable<Element.Element> {
        flatMapLatest { $0 }
    }
}

@usableFromInline
final class SwitchSink<Element, Result>: Flattening<Element, Result> {
    private var latest = -1

    // The earlier stream ends before the new one starts, which may share its source. Both happen in the turn of the element.
    override func enqueue(_ element: Element) { submit(.element(element)) }

    override func launch(_ source: Observable<Result>) {
        cancelInner(latest)
        latest = start(source)
    }

    override func joined(_ inner: Inner) {
        cancelInner(latest)
        inner.generation = generation
        latest = inner.number
        super.joined(inner)
    }
}

@usableFromInline
final class FirstSink<Element, Result>: Flattening<Element, Result> {
    override func accept(_ element: Element) {
        if running == 0 { start(element) }
    }

    // Whether the element is dropped is known in its turn.
    override func enqueue(_ element: Element) { submit(.element(element)) }
}
