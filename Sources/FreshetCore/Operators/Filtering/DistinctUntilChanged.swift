extension ObservableType where Element: Equatable & SendableMetatype {
    /// Emits each element that differs from the previous element. Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged() -> Observable<Element> {
        distinctUntilChanged({ $0 }, comparer: ==)
    }
}

extension ObservableType {
    /// Emits each element whose key differs from the key of the previous element. An error that `keySelector` throws
    /// ends the stream. Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged<Key: Equatable & SendableMetatype>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<Element> {
        distinctUntilChanged(keySelector, comparer: ==)
    }

    /// Emits each element for which `comparer` returns `false`. `comparer` receives the last emitted element and the
    /// new one. An error that it throws ends the stream. Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (_ lhs: Element, _ rhs: Element) throws -> Bool
    ) -> Observable<Element> {
        distinctUntilChanged({ $0 }, comparer: comparer)
    }

    /// Emits each element for whose key `comparer` returns `false`. `comparer` receives the key of the last emitted
    /// element and the new key. An error that either closure throws ends the stream.
    /// Source: RxSwift's `distinctUntilChanged(_:comparer:)`.
    @preconcurrency
    public func distinctUntilChanged<Key>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) throws -> Bool
    ) -> Observable<Element> {
        asObservable().linear { DistinctSink(to: $0, keySelector, comparer) }
    }

    /// The same for keys that are `Equatable`. Without it, a compiler in Swift 5 mode infers the key `()` from `comparer: ==`, and
    /// all elements are equal.
    @preconcurrency
    public func distinctUntilChanged<Key: Equatable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) throws -> Bool
    ) -> Observable<Element> {
        asObservable().linear { DistinctSink(to: $0, keySelector, comparer) }
    }

    /// Emits each element whose `property` differs from that of the previous element.
    /// Source: RxSwift's `distinctUntilChanged(at:)`.
    @preconcurrency
    public func distinctUntilChanged<Property: Equatable & SendableMetatype>(
        at property: any KeyPath<Element, Property> & Sendable
    ) -> Observable<Element> {
        distinctUntilChanged({ $0[keyPath: property] }, comparer: ==)
    }
}

private final class DistinctSink<Element, Key>: OperatorSink<Element, Element> {
    private let keySelector: (Element) throws -> Key
    private let comparer: (Key, Key) throws -> Bool
    private var latest: Key?

    init(
        to downstream: Sink<Element>, _ keySelector: @escaping (Element) throws -> Key,
        _ comparer: @escaping (Key, Key) throws -> Bool
    ) {
        self.keySelector = keySelector
        self.comparer = comparer
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        do {
            let key = try keySelector(element)
            if let latest, try comparer(latest, key) { return }
            latest = key
            downstream.next(element)
        } catch {
            downstream.error(error)
        }
    }
}
