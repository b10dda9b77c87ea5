extension InfallibleType {
    /// A result whenever a source emits, once all have. Source: RxSwift's `combineLatest`.
    @preconcurrency
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Infallible<Element> where Sources.Element: InfallibleType {
        Infallible(.combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// An array whenever a source emits, once all have. Source: RxSwift's `combineLatest`.
    public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
    where Sources.Element: InfallibleType, Sources.Element.Element == Element {
        Infallible<[Element]>.combineLatest(collection) { $0 }
    }

    /// A result for the first elements of all sources, for the second ones, and so on, as
    /// ``ObservableType/zip(_:resultSelector:)``.
    @preconcurrency
    public static func zip<Sources: Collection>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Infallible<Element> where Sources.Element: InfallibleType {
        Infallible(.zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// An array of the first elements of all sources, of the second ones, and so on.
    public static func zip<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
    where Sources.Element: InfallibleType, Sources.Element.Element == Element {
        Infallible<[Element]>.zip(collection) { $0 }
    }
}
