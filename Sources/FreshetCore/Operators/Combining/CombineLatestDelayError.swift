extension ObservableType {
    /// Emits a result whenever a source emits, after every source has emitted at least once. Errors are delayed until
    /// all sources have ended. The last element of a failed source remains part of the following results.
    /// Source: RxJava's `combineLatestDelayError`.
    ///
    ///     cold first:                             a-#
    ///     cold second:                            -b-c|
    ///     combineLatestDelayError(first, second): -A-B#  A = ab, B = ac
    ///
    /// A single error is delivered unchanged, several errors as a ``CompositeError``. Unlike `combineLatest`, the
    /// operator waits for all sources even if one of them has ended without an element, because the others can still
    /// fail. An error that `resultSelector` throws ends the stream at once, and is the last error of the composite
    /// error.
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

    /// Emits an array of the latest elements whenever a source emits, after every source has emitted at least once.
    /// Errors are delayed until all sources have ended. Source: RxJava's `combineLatestDelayError`.
    public static func combineLatestDelayError<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        Observable<[Element]>.combineLatestDelayError(collection) { $0 }
    }
}
