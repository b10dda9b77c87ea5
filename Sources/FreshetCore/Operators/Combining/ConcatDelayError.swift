extension ObservableType {
    /// `sources`, one after the other, also after one that has failed: errors wait until all have ended. Source: RxJava's
    /// `concatDelayError`.
    ///
    ///     cold first:                      a-#
    ///     cold second:                     b-c|
    ///     concatDelayError(first, second): a-b-c#
    ///
    /// One error is told as it is, several as a ``CompositeError``. As with `concat`, none is started in a pause.
    public static func concatDelayError(_ sources: [Observable<Element>]) -> Observable<Element> {
        Producer(after: sources) { sink in
            let last = DelayedErrorSink(to: sink)
            Observable.concat(sources.map { last.errors.delaying($0) }).run(last)
        }
    }

    /// `sources`, one after the other, also after one that has failed: errors wait until all have ended. Source: RxJava's
    /// `concatDelayError`.
    public static func concatDelayError(_ sources: Observable<Element>...) -> Observable<Element> {
        concatDelayError(sources)
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// The streams in `self`, one after the other, also after one that has failed: errors, that of `self` too, wait until
    /// all have ended. Source: RxJava's `concatDelayError`.
    ///
    /// One error is told as it is, several as a ``CompositeError``. As with `concat`, `self` is paused while a stream runs,
    /// and none is started in a pause.
    public func concatDelayError() -> Observable<Element.Element> {
        return asObservable().linear { sink in
            let last = DelayedErrorSink(to: sink)
            return last.errors.delaying(
                LimitedMergeSink(to: last, 1) { [errors = last.errors] in errors.delaying($0.asObservable()) })
        }
    }
}
