extension InfallibleType {
    /// Subscribes a closure that receives the events. Source: RxSwift's `subscribe(_:)`.
    ///
    /// An error is a programming error: it stops the program in a debug build, and is written to standard error in
    /// other builds.
    @preconcurrency
    public func subscribe(_ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void) -> any Disposable {
        asObservable().subscribe { event in
            switch event {
            case .next(let element): on(.next(element))
            case .completed: on(.completed)
            case .error(let error): fatalErrorInDebug("An Infallible has failed: \(error)")
            }
        }
    }

    /// Subscribes a closure for each kind of event. Source: RxSwift's `subscribe(onNext:onCompleted:onDisposed:)`.
    ///
    /// - Parameters:
    ///   - onNext: called with each element.
    ///   - onCompleted: called when the stream has completed.
    ///   - onDisposed: called once when the subscription ends for any reason, after the stop event.
    @inlinable
    @preconcurrency
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes closures that receive `object`. The subscription does not keep `object` alive, and does not call the
    /// closures after `object` is deallocated. Source: RxSwift's `subscribe(with:…)`.
    @preconcurrency
    public func subscribe<Object: AnyObject>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }
}
