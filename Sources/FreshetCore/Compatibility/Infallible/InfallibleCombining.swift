extension InfallibleType {
    /// Subscribes to all `sources` at once, and emits the elements of all. Source: RxSwift's `merge`.
    public static func merge<Sources: Collection>(_ sources: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.merge(sources.map(\.source)))
    }

    /// Subscribes to all `sources` at once, and emits the elements of all. Source: RxSwift's `merge`.
    public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
        merge(sources)
    }

    /// Subscribes to the streams in `sequence` one after the other. The operator reads each stream from `sequence` when
    /// the previous stream has completed. Source: RxSwift's `concat`.
    public static func concat<Sources: Sequence>(_ sequence: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.concat(sequence, of: \.source))
    }

    /// Subscribes to `sources` one after the other. Source: RxSwift's `concat`.
    public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
        concat(sources)
    }

    /// Emits the elements of `self`, and then those of `second`. The caller ensures that `second` does not fail.
    /// Source: RxSwift's `concat`.
    public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Infallible<Element>
    where Source.Element == Element {
        Infallible(asObservable().concat(second))
    }

    /// Emits `element` first, and then the elements of `self`. Source: RxSwift's `startWith`.
    public func startWith(_ element: Element) -> Infallible<Element> {
        Infallible(asObservable().startWith(element))
    }

    /// Emits a result for each element of `self` and the latest element of `second`. Drops the elements that arrive
    /// before `second` has emitted one. Source: RxSwift's `withLatestFrom`.
    @preconcurrency
    public func withLatestFrom<Source: InfallibleType, Result>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().withLatestFrom(second, resultSelector: resultSelector))
    }

    /// Emits the latest element of `second` for each element of `self`. Source: RxSwift's `withLatestFrom`.
    public func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<Source.Element> {
        Infallible(asObservable().withLatestFrom(second))
    }

    /// Emits the events of the stream that sends an event first, as `amb(_:)` of observables.
    public func amb<Source: InfallibleType>(_ right: Source) -> Infallible<Element> where Source.Element == Element {
        Infallible(asObservable().amb(right.asObservable()))
    }

    /// Emits the events of the stream of `sequence` that sends an event first, and disposes of the other subscriptions.
    public static func amb<Sources: Sequence>(_ sequence: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.amb(sequence.lazy.map(\.source)))
    }
}

extension InfallibleType where Element: InfallibleType {
    /// Subscribes to each stream in `self`, and disposes of the previous one. Source: RxCocoa's `switchLatest` of a `Driver`.
    public func switchLatest() -> Infallible<Element.Element> {
        Infallible(asObservable().switchLatest())
    }

    /// Subscribes to each stream in `self` as soon as it arrives. Source: RxCocoa's `merge` of a `Driver`.
    public func merge() -> Infallible<Element.Element> {
        Infallible(asObservable().merge())
    }

    /// Subscribes to the streams in `self`, to at most `maxConcurrent` at once.
    /// Source: RxCocoa's `merge(maxConcurrent:)` of a `Driver`.
    public func merge(maxConcurrent: Int) -> Infallible<Element.Element> {
        Infallible(asObservable().merge(maxConcurrent: maxConcurrent))
    }

    /// Subscribes to the streams in `self`, one after the other. Source: RxCocoa's `concat` of a `Driver`.
    public func concat() -> Infallible<Element.Element> {
        Infallible(asObservable().concat())
    }
}
