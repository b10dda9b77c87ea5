extension InfallibleType {
    /// Calls the closures beside the stream, by the rules of an observable's `do`. Source: RxSwift's `do`.
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

    /// Prints what happens to each subscription. Source: RxSwift's `debug`.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> Infallible<Element> {
        Infallible(
            asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }

    /// The same stream, above which `local` has the value `value`; see ``ObservableType/bindingTaskLocal(_:to:)``.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>, to value: Value) -> Infallible<Element> {
        Infallible(asObservable().bindingTaskLocal(local, to: value))
    }

    /// The same stream, above which `local` has the value that it has where somebody subscribes.
    public func bindingTaskLocal<Value>(_ local: TaskLocal<Value>) -> Infallible<Element> {
        Infallible(asObservable().bindingTaskLocal(local))
    }

    /// One subscription to the source for all observers, from the first one to the last one; each gets the last
    /// `replay` elements first. Source: RxSwift's `share(replay:scope:)`.
    public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> Infallible<Element> {
        Infallible(asObservable().share(replay: replay, scope: scope))
    }

    /// Each element together with `object`, which is not kept alive; the first element after it has gone ends the
    /// stream. Source: RxSwift's `withUnretained(_:resultSelector:)`.
    @preconcurrency
    public func withUnretained<Object: AnyObject, Result>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().withUnretained(object, resultSelector: resultSelector))
    }

    /// Each element together with `object`, which is not kept alive; the first element after it has gone ends the
    /// stream. Source: RxSwift's `withUnretained`.
    public func withUnretained<Object: AnyObject>(_ object: Object) -> Infallible<(Object, Element)> {
        Infallible(asObservable().withUnretained(object))
    }
}
