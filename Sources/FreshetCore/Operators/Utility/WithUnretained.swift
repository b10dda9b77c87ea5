extension ObservableType {
    /// Each element together with `object`, which is not kept alive; the first element after it has gone ends the
    /// stream. Source: RxSwift's `withUnretained(_:resultSelector:)`.
    @preconcurrency
    public func withUnretained<Object: AnyObject, Result>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
    ) -> Observable<Result> {
        let reference = WeakReference(object)
        return map { element in reference.object.map { resultSelector($0, element) } }
            .take(while: { $0 != nil })
            .compactMap { $0 }
    }

    /// Each element together with `object`, which is not kept alive; the first element after it has gone ends the
    /// stream. Source: RxSwift's `withUnretained`.
    public func withUnretained<Object: AnyObject>(_ object: Object) -> Observable<(Object, Element)> {
        withUnretained(object) { ($0, $1) }
    }
}
