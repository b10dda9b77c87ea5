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
            onSuccess: { element in reference.object.map { onSuccess?($0, element) } },
            onFailure: { error in reference.object.map { onFailure?($0, error) } },
            onDisposed: { reference.object.map { onDisposed?($0) } })
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
            onSuccess: { element in reference.object.map { onSuccess?($0, element) } },
            onError: { error in reference.object.map { onError?($0, error) } },
            onCompleted: { reference.object.map { onCompleted?($0) } },
            onDisposed: { reference.object.map { onDisposed?($0) } })
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
            onCompleted: { reference.object.map { onCompleted?($0) } },
            onError: { error in reference.object.map { onError?($0, error) } },
            onDisposed: { reference.object.map { onDisposed?($0) } })
    }
}
