extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Subscribes closures that receive `object`. The subscription does not keep `object` alive, and does not call the
    /// closures after `object` is deallocated.
    /// Source: RxSwift's `subscribe(with:onSuccess:onFailure:onDisposed:)`.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onFailure: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        let reference = WeakReference(object)
        return subscribe(
            onSuccess: reference.passed(to: onSuccess),
            onFailure: reference.passed(to: onFailure),
            onDisposed: reference.passed(to: onDisposed))
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Subscribes closures that receive `object`. The subscription does not keep `object` alive, and does not call the
    /// closures after `object` is deallocated.
    /// Source: RxSwift's `subscribe(with:onSuccess:onError:onCompleted:onDisposed:)`.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        let reference = WeakReference(object)
        return subscribe(
            onSuccess: reference.passed(to: onSuccess),
            onError: reference.passed(to: onError),
            onCompleted: reference.passed(to: onCompleted),
            onDisposed: reference.passed(to: onDisposed))
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes closures that receive `object`. The subscription does not keep `object` alive, and does not call the
    /// closures after `object` is deallocated.
    /// Source: RxSwift's `subscribe(with:onCompleted:onError:onDisposed:)`.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        let reference = WeakReference(object)
        return subscribe(
            onCompleted: reference.passed(to: onCompleted),
            onError: reference.passed(to: onError),
            onDisposed: reference.passed(to: onDisposed))
    }
}
