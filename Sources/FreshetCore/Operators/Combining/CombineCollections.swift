extension ObservableType {
    /// A result whenever a source emits, once all have. Source: RxSwift's `combineLatest`.
    ///
    /// It completes when all sources have, or as soon as no result can come any more. Without any source it emits the result
    /// of nothing and completes.
    @inlinable
    @preconcurrency
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Observable<Element> where Sources.Element: ObservableType {
        let sources = Array(collection)
        if sources.isEmpty { return .deferred { .just(try resultSelector([])) } }
        return Join.stream { join in
            let slots = sources.map { join.latest(of: $0) }
            return { try resultSelector(slots.map(\.value)) }
        }
    }

    /// An array whenever a source emits, once all have. Source: RxSwift's `combineLatest`.
    public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        Observable<[Element]>.combineLatest(collection) { $0 }
    }

    /// A result for the first elements of all sources, for the second ones, and so on. Source: RxSwift's `zip`.
    ///
    /// It completes when all sources have, or as soon as no result can come any more; at once if there is no source.
    @inlinable
    @preconcurrency
    public static func zip<Sources: Collection>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Observable<Element> where Sources.Element: ObservableType {
        let sources = Array(collection)
        return Join.stream { join in
            let slots = sources.map { join.queue(of: $0) }
            return { try resultSelector(slots.map(\.value)) }
        }
    }

    /// An array of the first elements of all sources, of the second ones, and so on. Source: RxSwift's `zip`.
    public static func zip<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        Observable<[Element]>.zip(collection) { $0 }
    }
}
