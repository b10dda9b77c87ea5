extension ObservableType {
    /// Subscribes closures that are handed `object`, which is not kept alive; once it has gone they are not called any
    /// more. Source: RxSwift's `subscribe(with:…)`.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        let reference = WeakReference(object)
        return subscribe(
            onNext: { element in reference.object.map { onNext?($0, element) } },
            onError: { error in reference.object.map { onError?($0, error) } },
            onCompleted: { reference.object.map { onCompleted?($0) } },
            onDisposed: { reference.object.map { onDisposed?($0) } })
    }

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

/// An object that closures reach without keeping it alive. Unchecked: what they do with it on which thread is the
/// caller's matter, as with a `weak` capture.
struct WeakReference<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}
