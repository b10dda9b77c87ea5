extension InfallibleType where Element: Equatable & SendableMetatype {
    /// Emits the elements that differ from the previous element. Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged() -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged())
    }
}

extension InfallibleType {
    /// Emits the elements whose key differs from the key of the previous element. Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged<Key: Equatable & SendableMetatype>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector))
    }

    /// Emits the elements that differ from the previous element according to `comparer`.
    /// Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (_ lhs: Element, _ rhs: Element) throws -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(comparer))
    }

    /// Emits the elements whose key differs from the key of the previous element according to `comparer`.
    /// Source: RxSwift's `distinctUntilChanged(_:comparer:)`.
    @preconcurrency
    public func distinctUntilChanged<Key>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) throws -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }

    /// The same for keys that are `Equatable`, so that Swift 5 mode infers the key from `comparer: ==`.
    @preconcurrency
    public func distinctUntilChanged<Key: Equatable>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) throws -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }

    /// Emits the elements whose `property` differs from that of the previous element.
    /// Source: RxSwift's `distinctUntilChanged(at:)`.
    @preconcurrency
    public func distinctUntilChanged<Property: Equatable & SendableMetatype>(
        at property: any KeyPath<Element, Property> & Sendable
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(at: property))
    }
}
