extension InfallibleType {
    /// Each element through `transform`. Source: RxSwift's `map`.
    @inlinable
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) -> Result) -> Infallible<Result> {
        Infallible(asObservable().map(transform))
    }

    /// Each element through `transform`, without those that come out `nil`. Source: RxSwift's `compactMap`.
    @inlinable
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) -> Result?) -> Infallible<Result> {
        Infallible(asObservable().compactMap(transform))
    }

    /// The accumulated value after each element. Source: RxSwift's `scan`.
    @inlinable
    @preconcurrency
    public func scan<Seed>(
        _ seed: Seed, accumulator: @escaping @Sendable (Seed, Element) -> Seed
    ) -> Infallible<Seed> {
        Infallible(asObservable().scan(seed, accumulator: accumulator))
    }

    /// The accumulated value after each element, changed in place. Source: RxSwift's `scan(into:accumulator:)`.
    @inlinable
    @preconcurrency
    public func scan<Seed>(
        into seed: Seed, accumulator: @escaping @Sendable (inout Seed, Element) -> Void
    ) -> Infallible<Seed> {
        Infallible(asObservable().scan(into: seed, accumulator: accumulator))
    }

    /// A stream for each element, all of them at once. Source: RxSwift's `flatMap`.
    ///
    /// As in RxSwift the streams that `selector` makes can be of any kind, and are taken at their word not to fail. So
    /// it is with the other operators of this family.
    @preconcurrency
    public func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMap(selector))
    }

    /// A stream for each element, until the next element replaces it. Source: RxSwift's `flatMapLatest`.
    @preconcurrency
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMapLatest(selector) as Observable<Source.Element>)
    }

    /// A stream for an element, unless the one before still runs; then the element is dropped.
    /// Source: RxSwift's `flatMapFirst`.
    @preconcurrency
    public func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMapFirst(selector))
    }

    /// A stream for each element, one after the other. Source: RxSwift's `concatMap`.
    @preconcurrency
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().concatMap(selector))
    }
}

extension ObservableType {
    /// A stream for each element, until the next element replaces it. Source: RxSwift's `flatMapLatest` of an
    /// `Infallible`.
    ///
    /// As in RxSwift the result is typed by the inner streams, and `self` is taken at its word not to fail. It is
    /// chosen only where the context asks for an `Infallible`: to try both types at each stage would cost the compiler
    /// seconds.
    @_disfavoredOverload
    @preconcurrency
    public func flatMapLatest<Source: InfallibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Infallible<Source.Element> {
        Infallible(flatMapLatest(selector) as Observable<Source.Element>)
    }
}
