extension InfallibleType {
    /// Unites `sources`, all of them at once. Source: RxSwift's `merge`.
    public static func merge<Sources: Collection>(_ sources: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.merge(sources.map(\.source)))
    }

    /// Unites `sources`, all of them at once. Source: RxSwift's `merge`.
    public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
        merge(sources)
    }

    /// The streams in `sequence`, one after the other; each is asked for when the one before has completed.
    /// Source: RxSwift's `concat`.
    public static func concat<Sources: Sequence>(_ sequence: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.concat(sequence.lazy.map(\.source)))
    }

    /// `sources`, one after the other. Source: RxSwift's `concat`.
    public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
        concat(sources)
    }

    /// `self`, and when it has completed, `second`, which is taken at its word not to fail. Source: RxSwift's `concat`.
    public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Infallible<Element>
    where Source.Element == Element {
        Infallible(asObservable().concat(second))
    }

    /// `element` first, then `self`. Source: RxSwift's `startWith`.
    public func startWith(_ element: Element) -> Infallible<Element> {
        Infallible(asObservable().startWith(element))
    }

    /// A result for each element of `self` and the newest of `second`; what comes before `second` has emitted is
    /// dropped. Source: RxSwift's `withLatestFrom`.
    @preconcurrency
    public func withLatestFrom<Source: InfallibleType, Result>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().withLatestFrom(second, resultSelector: resultSelector))
    }

    /// The newest element of `second` for each of `self`. Source: RxSwift's `withLatestFrom`.
    public func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<Source.Element> {
        Infallible(asObservable().withLatestFrom(second))
    }

    /// Whichever of the two says something first, as `amb(_:)` of observables.
    public func amb<Source: InfallibleType>(_ right: Source) -> Infallible<Element> where Source.Element == Element {
        Infallible(asObservable().amb(right.asObservable()))
    }

    /// Whichever stream of `sequence` says something first; the others are disposed of.
    public static func amb<Sources: Sequence>(_ sequence: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.amb(sequence.lazy.map(\.source)))
    }
}
