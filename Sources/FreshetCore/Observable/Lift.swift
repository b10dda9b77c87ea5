extension ObservableType {
    /// The stream of an operator of your own, whose sink `makeSink` puts before the one downstream at each subscription.
    /// Source: RxJava's `lift`.
    ///
    /// The operators of this library with one source are made in the same way. See <doc:WritingAnOperator>.
    @inlinable
    @preconcurrency
    public func lift<Result>(_ makeSink: @escaping @Sendable (Sink<Result>) -> Sink<Element>) -> Observable<Result> {
        asObservable().linear(makeSink)
    }
}
