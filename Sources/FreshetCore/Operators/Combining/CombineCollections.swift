extension ObservableType {
    /// Emits a result whenever a source emits, after every source has emitted at least once.
    /// Source: RxSwift's `combineLatest`.
    ///
    /// The stream completes when all sources have completed, or as soon as no further result is possible. If the
    /// collection is empty, the stream emits the result for an empty array and completes.
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

    /// Emits an array of the latest elements whenever a source emits, after every source has emitted at least once.
    /// Source: RxSwift's `combineLatest`.
    public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        Observable<[Element]>.combineLatest(collection) { $0 }
    }

    /// Emits a result for the first elements of all sources, then for the second elements, and so on.
    /// Source: RxSwift's `zip`.
    ///
    /// The stream completes when all sources have completed, or as soon as no further result is possible. If the
    /// collection is empty, the stream completes at once.
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

    /// Emits an array of the first elements of all sources, then of the second elements, and so on.
    /// Source: RxSwift's `zip`.
    public static func zip<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        Observable<[Element]>.zip(collection) { $0 }
    }
}
