extension InfallibleType {
    /// Emits a result of the latest elements whenever a source emits, once all sources have emitted.
    /// Source: RxSwift's `combineLatest`.
    @preconcurrency
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Infallible<Element> where Sources.Element: InfallibleType {
        Infallible(.combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// Emits an array of the latest elements whenever a source emits, once all sources have emitted.
    /// Source: RxSwift's `combineLatest`.
    public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
    where Sources.Element: InfallibleType, Sources.Element.Element == Element {
        Infallible<[Element]>.combineLatest(collection) { $0 }
    }

    /// Emits a result for the first elements of all sources, then one for the second elements, and so on, as
    /// ``ObservableType/zip(_:resultSelector:)``.
    @preconcurrency
    public static func zip<Sources: Collection>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Infallible<Element> where Sources.Element: InfallibleType {
        Infallible(.zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// Emits an array of the first elements of all sources, then one of the second elements, and so on.
    public static func zip<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
    where Sources.Element: InfallibleType, Sources.Element.Element == Element {
        Infallible<[Element]>.zip(collection) { $0 }
    }
}
