extension InfallibleType {
    /// Transforms each element with `transform`. Source: RxSwift's `map`.
    @inlinable
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) -> Result) -> Infallible<Result> {
        Infallible(asObservable().map(transform))
    }

    /// Transforms each element with `transform`, and drops the results that are `nil`. Source: RxSwift's `compactMap`.
    @inlinable
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) -> Result?) -> Infallible<Result> {
        Infallible(asObservable().compactMap(transform))
    }

    /// Emits the accumulated value after each element. Source: RxSwift's `scan`.
    @inlinable
    @preconcurrency
    public func scan<Seed>(
        _ seed: Seed, accumulator: @escaping @Sendable (Seed, Element) -> Seed
    ) -> Infallible<Seed> {
        Infallible(asObservable().scan(seed, accumulator: accumulator))
    }

    /// Emits the accumulated value after each element. `accumulator` changes the value in place.
    /// Source: RxSwift's `scan(into:accumulator:)`.
    @inlinable
    @preconcurrency
    public func scan<Seed>(
        into seed: Seed, accumulator: @escaping @Sendable (inout Seed, Element) -> Void
    ) -> Infallible<Seed> {
        Infallible(asObservable().scan(into: seed, accumulator: accumulator))
    }

    /// Subscribes to a stream for each element, and merges the streams. Source: RxSwift's `flatMap`.
    ///
    /// As in RxSwift, `selector` can return a stream of any kind. The caller ensures that this stream does not fail.
    /// The same applies to the other operators of this family.
    @preconcurrency
    public func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMap(selector))
    }

    /// Subscribes to a stream for each element, and disposes of the previous stream's subscription.
    /// Source: RxSwift's `flatMapLatest`.
    @preconcurrency
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMapLatest(selector) as Observable<Source.Element>)
    }

    /// Subscribes to a stream for an element, and drops the elements that arrive while that stream runs.
    /// Source: RxSwift's `flatMapFirst`.
    @preconcurrency
    public func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().flatMapFirst(selector))
    }

    /// Subscribes to a stream for each element, one stream after the other. Source: RxSwift's `concatMap`.
    @preconcurrency
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(asObservable().concatMap(selector))
    }
}

extension ObservableType {
    /// Subscribes to a stream for each element, and disposes of the previous stream's subscription.
    /// Source: RxSwift's `flatMapLatest` of an `Infallible`.
    ///
    /// As in RxSwift, the inner streams determine the type of the result. The caller ensures that `self` does not fail.
    /// The overload is disfavored, so that the compiler selects it only where the context requires an `Infallible`:
    /// trying both types at each stage would cost the compiler seconds.
    @_disfavoredOverload
    @preconcurrency
    public func flatMapLatest<Source: InfallibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Infallible<Source.Element> {
        Infallible(flatMapLatest(selector) as Observable<Source.Element>)
    }
}
