extension ObservableType {
    /// Emits the result of `resultSelector` for `object` and each element. The stream does not retain `object`. The first
    /// element after `object` has been deallocated completes the stream.
    /// Source: RxSwift's `withUnretained(_:resultSelector:)`.
    @preconcurrency
    public func withUnretained<Object: AnyObject, Result>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
    ) -> Observable<Result> {
        let reference = WeakReference(object)
        return map { element in reference.object.map { resultSelector($0, element) } }
            .take(while: { $0 != nil })
            .compactMap { $0 }
    }

    /// Emits each element together with `object`. The stream does not retain `object`. The first element after `object`
    /// has been deallocated completes the stream. Source: RxSwift's `withUnretained`.
    public func withUnretained<Object: AnyObject>(_ object: Object) -> Observable<(Object, Element)> {
        withUnretained(object) { ($0, $1) }
    }
}
