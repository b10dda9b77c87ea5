extension InfallibleType {
    /// Calls the closures as the events pass, by the rules of an observable's `do`. Source: RxSwift's `do`.
    @preconcurrency
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Infallible<Element> {
        Infallible(
            asObservable().do(
                onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Prints each event of each subscription. Source: RxSwift's `debug`.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Infallible<Element> {
        Infallible(
            asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }

    /// Binds `local` to `value` upstream of this operator. See ``ObservableType/bindingTaskLocal(_:to:)``.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>, to value: Value) -> Infallible<Element> {
        Infallible(asObservable().bindingTaskLocal(local, to: value))
    }

    /// Binds `local`, upstream of this operator, to the value that it has where the observer subscribes.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>) -> Infallible<Element> {
        Infallible(asObservable().bindingTaskLocal(local))
    }

    /// Shares one subscription to the source among all observers, from the first observer to the last. Each new
    /// observer first receives the last `replay` elements. Source: RxSwift's `share(replay:scope:)`.
    public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Infallible<Element> {
        Infallible(asObservable().share(replay: replay, scope: scope))
    }

    /// Pairs each element with `object`, without keeping `object` alive. The first element that arrives after `object`
    /// is deallocated completes the stream. Source: RxSwift's `withUnretained(_:resultSelector:)`.
    @preconcurrency
    public func withUnretained<Object: AnyObject, Result>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().withUnretained(object, resultSelector: resultSelector))
    }

    /// Pairs each element with `object`, without keeping `object` alive. The first element that arrives after `object`
    /// is deallocated completes the stream. Source: RxSwift's `withUnretained`.
    public func withUnretained<Object: AnyObject>(_ object: Object) -> Infallible<(Object, Element)> {
        Infallible(asObservable().withUnretained(object))
    }
}
