extension ObservableType {
    /// A result whenever a source emits, once all have: errors wait until all have ended, and the last element of a source
    /// that has failed goes on being combined. Source: RxJava's `combineLatestDelayError`.
    ///
    ///     cold first:                             a-#
    ///     cold second:                            -b-c|
    ///     combineLatestDelayError(first, second): -A-B#  A = ab, B = ac
    ///
    /// One error is told as it is, several as a ``CompositeError``. Unlike `combineLatest` it waits for all sources also when
    /// one has ended without an element, for they may fail. An error that `resultSelector` throws ends everything at once,
    /// and comes last in the composite error.
    @preconcurrency
    public static func combineLatestDelayError<Sources: Collection>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Observable<Element> where Sources.Element: ObservableType {
        let sources = collection.map { $0.asObservable() }
        return Producer(after: sources) { sink in
            let last = DelayedErrorSink(to: sink)
            let kept = sources.map { last.errors.delaying($0) }
            let stream = Join.stream(endsEarly: false) { join in
                let slots = kept.map { join.latest(of: $0) }
                return { try resultSelector(slots.map(\.value)) }
            }
            stream.run(last)
        }
    }

    /// An array whenever a source emits, once all have: errors wait until all have ended. Source: RxJava's
    /// `combineLatestDelayError`.
    public static func combineLatestDelayError<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        Observable<[Element]>.combineLatestDelayError(collection) { $0 }
    }
}
