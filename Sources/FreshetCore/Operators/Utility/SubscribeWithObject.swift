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
            onNext: reference.passed(to: onNext),
            onError: reference.passed(to: onError),
            onCompleted: reference.passed(to: onCompleted),
            onDisposed: reference.passed(to: onDisposed))
    }
}
