extension ObservableType {
    /// Emits the elements of `sources`, one stream after the other, and continues after a stream that has failed. Errors
    /// are delayed until all streams have ended. Source: RxJava's `concatDelayError`.
    ///
    ///     cold first:                      a-#
    ///     cold second:                     b-c|
    ///     concatDelayError(first, second): a-b-c#
    ///
    /// A single error is delivered unchanged, several errors as a ``CompositeError``. As with `concat`, no stream starts
    /// while the operator is paused.
    public static func concatDelayError(_ sources: [Observable<Element>]) -> Observable<Element> {
        Producer(after: sources) { sink in
            let last = DelayedErrorSink(to: sink)
            Observable.concat(sources.map { last.errors.delaying($0) }).run(last)
        }
    }

    /// Emits the elements of `sources`, one stream after the other, and continues after a stream that has failed. Errors
    /// are delayed until all streams have ended. Source: RxJava's `concatDelayError`.
    public static func concatDelayError(_ sources: Observable<Element>...) -> Observable<Element> {
        concatDelayError(sources)
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Subscribes to the streams in `self`, one after the other, and continues after a stream that has failed. Errors,
    /// also that of `self`, are delayed until all streams have ended. Source: RxJava's `concatDelayError`.
    ///
    /// A single error is delivered unchanged, several errors as a ``CompositeError``. As with `concat`, `self` is paused
    /// while an inner stream runs, and no inner stream starts while the operator is paused.
    public func concatDelayError() -> Observable<Element.Element> {
        asObservable().linear { sink in
            let last = DelayedErrorSink(to: sink)
            return last.errors.delaying(
                LimitedMergeSink(to: last, 1) { [errors = last.errors] in errors.delaying($0.asObservable()) })
        }
    }
}
