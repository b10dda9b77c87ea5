extension ObservableType {
    /// Subscribes to all `sources` at once, and emits the elements of all of them. Errors are delayed until all sources
    /// have ended. Source: RxJava's `mergeDelayError`.
    ///
    ///     cold first:                     a-#
    ///     cold second:                    -b-c|
    ///     mergeDelayError(first, second): ab-c#
    ///
    /// A single error is delivered unchanged, several errors as a ``CompositeError``.
    public static func mergeDelayError(_ sources: [Observable<Element>]) -> Observable<Element> {
        Producer(after: sources) { sink in
            let last = DelayedErrorSink(to: sink)
            Observable.merge(sources.map { last.errors.delaying($0) }).run(last)
        }
    }

    /// Subscribes to all `sources` at once, and emits the elements of all of them. Errors are delayed until all sources
    /// have ended. Source: RxJava's `mergeDelayError`.
    public static func mergeDelayError(_ sources: Observable<Element>...) -> Observable<Element> {
        mergeDelayError(sources)
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Subscribes to each stream in `self` as soon as it arrives, and emits the elements of all of them. Errors, also
    /// that of `self`, are delayed until all streams have ended. Source: RxJava's `mergeDelayError`.
    ///
    /// A single error is delivered unchanged, several errors as a ``CompositeError``.
    public func mergeDelayError() -> Observable<Element.Element> {
        asObservable().linear { sink in
            let last = DelayedErrorSink(to: sink)
            return last.errors.delaying(
                MergeSink(to: last) { [errors = last.errors] in errors.delaying($0.asObservable()) })
        }
    }
}
