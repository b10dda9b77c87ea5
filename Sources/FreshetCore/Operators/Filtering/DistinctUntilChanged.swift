extension ObservableType where Element: Equatable & SendableMetatype {
    /// The elements that differ from the one before. Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged() -> Observable<Element> {
        distinctUntilChanged({ $0 }, comparer: ==)
    }
}

extension ObservableType {
    /// The elements whose key differs from that of the one before. Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged<Key: Equatable & SendableMetatype>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Observable<Element> {
        distinctUntilChanged(keySelector, comparer: ==)
    }

    /// The elements that `comparer` does not call equal to the one before. Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (_ lhs: Element, _ rhs: Element) throws -> Bool
    ) -> Observable<Element> {
        distinctUntilChanged({ $0 }, comparer: comparer)
    }

    /// The elements whose key `comparer` does not call equal to that of the one before.
    /// Source: RxSwift's `distinctUntilChanged(_:comparer:)`.
    @preconcurrency
    public func distinctUntilChanged<Key>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) throws -> Bool
    ) -> Observable<Element> {
        return asObservable().linear { DistinctSink(to: $0, keySelector, comparer) }
    }

    /// The elements whose `property` differs from that of the one before. Source: RxSwift's `distinctUntilChanged(at:)`.
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
