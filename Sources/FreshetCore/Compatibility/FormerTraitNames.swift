// The names of RxSwift 5 that RxSwift 6 still compiles. The warning of each names its replacement.

extension PrimitiveSequence {
    @available(*, deprecated, renamed: "catch(_:)")
    @preconcurrency
    public func catchError(_ handler: @escaping @Sendable (any Error) throws -> Self) -> Self {
        self.catch(handler)
    }

    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<Trigger: ObservableType>(
        _ notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
    ) -> Self {
        retry(when: notificationHandler)
    }

    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<Trigger: ObservableType, Failure: Error>(
        _ notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
    ) -> Self {
        retry(when: notificationHandler)
    }
}

extension PrimitiveSequence where Element: Sendable {
    @available(*, deprecated, renamed: "observe(on:)")
    @preconcurrency
    public func observeOn(_ scheduler: any ImmediateSchedulerType) -> Self {
        observe(on: scheduler)
    }

    @available(*, deprecated, renamed: "subscribe(on:)")
    @preconcurrency
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Self {
        subscribe(on: scheduler)
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    @available(*, deprecated, renamed: "subscribe(onSuccess:onFailure:onDisposed:)")
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onError: @escaping @Sendable (any Error) -> Void,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        subscribe(onSuccess: onSuccess, onFailure: onError, onDisposed: onDisposed)
    }

    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    public func catchErrorJustReturn(_ element: Element) -> Single<Element> {
        catchAndReturn(element)
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    public func catchErrorJustReturn(_ element: Element) -> Maybe<Element> {
        catchAndReturn(element)
    }
}
