extension ObservableType {
    /// Subscribes closures that receive `object`, which the subscription does not retain. After `object` has been
    /// deallocated, the closures are not called. Source: RxSwift's `subscribe(with:…)`.
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
            onNext: reference.passed(to: onNext),
            onError: reference.passed(to: onError),
            onCompleted: reference.passed(to: onCompleted),
            onDisposed: reference.passed(to: onDisposed))
    }
}
