extension InfallibleType where Element: Equatable & SendableMetatype {
    /// The elements that differ from the one before. Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged() -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged())
    }
}

extension InfallibleType {
    /// The elements whose key differs from that of the one before. Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged<Key: Equatable & SendableMetatype>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector))
    }

    /// The elements that `comparer` does not call equal to the one before. Source: RxSwift's `distinctUntilChanged`.
    @preconcurrency
    public func distinctUntilChanged(
        _ comparer: @escaping @Sendable (_ lhs: Element, _ rhs: Element) throws -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(comparer))
    }

    /// The elements whose key `comparer` does not call equal to that of the one before.
    /// Source: RxSwift's `distinctUntilChanged(_:comparer:)`.
    @preconcurrency
    public func distinctUntilChanged<Key>(
        _ keySelector: @escaping @Sendable (Element) throws -> Key,
        comparer: @escaping @Sendable (_ lhs: Key, _ rhs: Key) throws -> Bool
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
    }

    /// The elements whose `property` differs from that of the one before. Source: RxSwift's
    /// `distinctUntilChanged(at:)`.
    @preconcurrency
    public func distinctUntilChanged<Property: Equatable & SendableMetatype>(
        at property: any KeyPath<Element, Property> & Sendable
    ) -> Infallible<Element> {
        Infallible(asObservable().distinctUntilChanged(at: property))
    }
}
