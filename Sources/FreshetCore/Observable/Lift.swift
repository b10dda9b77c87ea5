extension ObservableType {
    /// Applies a custom operator: at each subscription, `makeSink` creates the operator's sink in front of the downstream sink.
    ///
    /// The operators of this library that have one source are built in the same way. See <doc:WritingAnOperator>.
    /// Source: RxJava's `lift`.
    @inlinable
    @preconcurrency
    public func lift<Result>(_ makeSink: @escaping @Sendable (Sink<Result>) -> Sink<Element>) -> Observable<Result> {
        asObservable().linear(makeSink)
    }
}
