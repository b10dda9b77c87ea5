extension ObservableType {
    /// Subscribes a handler of events. Source: RxSwift's `subscribe(_:)`.
    @inlinable
    @preconcurrency
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        subscribe(AnyObserver(eventHandler: on))
    }

    /// Subscribes a closure for each kind of event. Source: RxSwift's `subscribe(onNext:onError:onCompleted:onDisposed:)`.
    ///
    /// - Parameter onDisposed: called once when the subscription ends, whatever ended it, after the stop event.
    @inlinable
    @preconcurrency
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let ending = onDisposed.map { Disposables.create(with: $0) }
        let subscription = subscribe { event in
            switch event {
            case .next(let element):
                onNext?(element)
            case .error(let error):
                onError?(error)
                ending?.dispose()
            case .completed:
                onCompleted?()
                ending?.dispose()
            }
        }
        return ending.map { Disposables.create(subscription, $0) } ?? subscription
    }
}
