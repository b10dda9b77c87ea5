extension ObservableType {
    /// Subscribes a closure that receives the events. Source: RxSwift's `subscribe(_:)`.
    @inlinable
    @preconcurrency
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        subscribe(AnyObserver(eventHandler: on))
    }

    /// Subscribes a closure for each kind of event. Source: RxSwift's `subscribe(onNext:onError:onCompleted:onDisposed:)`.
    ///
    /// - Parameters:
    ///   - onNext: called with each element.
    ///   - onError: called with the error that ends the stream. Without it, ``Hooks/defaultErrorHandler`` receives the error.
    ///   - onCompleted: called when the stream has completed.
    ///   - onDisposed: called once when the subscription ends for any reason, after the stop event.
    @inlinable
    @preconcurrency
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let subscriber = ClosureSubscriber(
            onNext: onNext, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
        asObservable().subscribe(subscriber)
        return subscriber
    }
}
