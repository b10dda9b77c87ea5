extension ObservableType {
    /// Unites `sources`, all of them at once: errors wait until all have ended. Source: RxJava's `mergeDelayError`.
    ///
    ///     cold first:                     a-#
    ///     cold second:                    -b-c|
    ///     mergeDelayError(first, second): ab-c#
    ///
    /// One error is told as it is, several as a ``CompositeError``.
    public static func mergeDelayError(_ sources: [Observable<Element>]) -> Observable<Element> {
        Producer(after: sources) { sink in
            let last = DelayedErrorSink(to: sink)
            Observable.merge(sources.map { last.errors.delaying($0) }).run(last)
        }
    }

    /// Unites `sources`, all of them at once: errors wait until all have ended. Source: RxJava's `mergeDelayError`.
    public static func mergeDelayError(_ sources: Observable<Element>...) -> Observable<Element> {
        mergeDelayError(sources)
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Unites the streams in `self`, all of them at once: errors, that of `self` too, wait until all have ended.
    /// Source: RxJava's `mergeDelayError`.
    ///
    /// One error is told as it is, several as a ``CompositeError``.
    public func mergeDelayError() -> Observable<Element.Element> {
        return asObservable().linear { sink in
            let last = DelayedErrorSink(to: sink)
            return last.errors.delaying(
                MergeSink(to: last) { [errors = last.errors] in errors.delaying($0.asObservable()) })
        }
    }
}
