extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes to `second` when this completable has completed, and returns the result of `second`.
    /// Source: RxSwift's `andThen`.
    public func andThen<Result>(_ second: Single<Result>) -> Single<Result> {
        PrimitiveSequence(raw: andThen(second.source))
    }

    /// Subscribes to `second` when this completable has completed, and returns the result of `second`.
    /// Source: RxSwift's `andThen`.
    public func andThen<Result>(_ second: Maybe<Result>) -> Maybe<Result> {
        PrimitiveSequence(raw: andThen(second.source))
    }

    /// Subscribes to `second` when this completable has completed. Source: RxSwift's `andThen`.
    public func andThen(_ second: Completable) -> Completable {
        PrimitiveSequence(raw: .concat([primitiveSequence.source, second.source]))
    }

    /// Subscribes to `second` when this completable has completed, and emits the elements of `second`.
    /// Source: RxSwift's `andThen`.
    public func andThen<Result>(_ second: Observable<Result>) -> Observable<Result> {
        .concat([primitiveSequence.source.linear { EndSink(to: $0) }, second])
    }

    /// Runs this completable, then `second`. Source: RxSwift's `concat`.
    public func concat(_ second: Completable) -> Completable {
        andThen(second)
    }

    /// Runs the completables one after the other. Source: RxSwift's `concat`.
    public static func concat<Sources: Sequence>(_ sequence: Sources) -> Completable
    where Sources.Element == Completable {
        PrimitiveSequence(raw: .concat(sequence, of: \.source))
    }

    /// Runs the completables one after the other. Source: RxSwift's `concat`.
    public static func concat(_ sources: Completable...) -> Completable {
        PrimitiveSequence(raw: .concat(sources.map(\.source)))
    }

    /// Runs the completables concurrently. Completes when all have completed, and fails with the first error.
    /// Source: RxSwift's `merge`.
    public static func merge<Sources: Collection>(_ sources: Sources) -> Completable
    where Sources.Element == Completable {
        PrimitiveSequence(raw: .merge(sources.map(\.source)))
    }

    /// Runs the completables concurrently. Completes when all have completed, and fails with the first error.
    /// Source: RxSwift's `merge`.
    public static func merge(_ sources: Completable...) -> Completable {
        .merge(sources)
    }

    /// Equivalent to `merge`. Source: RxSwift's `zip`.
    public static func zip<Sources: Collection>(_ sources: Sources) -> Completable
    where Sources.Element == Completable {
        .merge(sources)
    }

    /// Equivalent to `merge`. Source: RxSwift's `zip`.
    public static func zip(_ sources: Completable...) -> Completable {
        .merge(sources)
    }

    /// Calls the closures as the events pass. If a closure throws, the stream fails with that error. Source: RxSwift's `do`.
    @preconcurrency
    public func `do`(
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Completable {
        PrimitiveSequence(
            raw: primitiveSequence.source.do(
                onError: onError, afterError: afterError, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }
}

/// Passes on the end of a completable as that of a stream with elements.
private final class EndSink<Result>: OperatorSink<Never, Result> {
    override func next(_ element: Never) {}
}
