extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// The result of `second`, which begins when this is done. Source: RxSwift's `andThen`.
    public func andThen<Result>(_ second: Single<Result>) -> Single<Result> {
        PrimitiveSequence(raw: andThen(second.source))
    }

    /// The result of `second`, which begins when this is done. Source: RxSwift's `andThen`.
    public func andThen<Result>(_ second: Maybe<Result>) -> Maybe<Result> {
        PrimitiveSequence(raw: andThen(second.source))
    }

    /// `second`, which begins when this is done. Source: RxSwift's `andThen`.
    public func andThen(_ second: Completable) -> Completable {
        PrimitiveSequence(raw: andThen(second.source))
    }

    /// The elements of `second`, which begins when this is done. Source: RxSwift's `andThen`.
    public func andThen<Result>(_ second: Observable<Result>) -> Observable<Result> {
        let first = primitiveSequence.source
        return Producer { sink in
            first.run(FirstPartSink(before: .entered(ArrayProvider([second]), to: sink)))
        }
    }

    /// This, then `second`. Source: RxSwift's `concat`.
    public func concat(_ second: Completable) -> Completable {
        .concat([primitiveSequence, second])
    }

    /// One after the other. Source: RxSwift's `concat`.
    public static func concat<Sources: Sequence>(_ sequence: Sources) -> Completable
    where Sources.Element == Completable {
        PrimitiveSequence(raw: .concat(sequence.lazy.map(\.source)))
    }

    /// One after the other. Source: RxSwift's `concat`.
    public static func concat(_ sources: Completable...) -> Completable {
        .concat(sources)
    }

    /// All at once; done when all are, failed with the first that fails. Source: RxSwift's `merge`.
    public static func merge<Sources: Collection>(_ sources: Sources) -> Completable
    where Sources.Element == Completable {
        PrimitiveSequence(raw: .merge(sources.map(\.source)))
    }

    /// All at once; done when all are, failed with the first that fails. Source: RxSwift's `merge`.
    public static func merge(_ sources: Completable...) -> Completable {
        .merge(sources)
    }

    /// Another name of `merge`. Source: RxSwift's `zip`.
    public static func zip<Sources: Collection>(_ sources: Sources) -> Completable
    where Sources.Element == Completable {
        .merge(sources)
    }

    /// Another name of `merge`. Source: RxSwift's `zip`.
    public static func zip(_ sources: Completable...) -> Completable {
        .merge(sources)
    }

    /// Calls the closures beside the stream; an error that one of them throws ends it. Source: RxSwift's `do`.
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

/// The completable in front of the stream that follows: its completion is the cue.
private final class FirstPartSink<Result>: Sink<Never> {
    private let rest: SequentialSubscriber<Result>

    init(before rest: SequentialSubscriber<Result>) {
        self.rest = rest
    }

    override func begin(with subscription: any Disposable & AnyObject) { rest.begin(with: subscription) }
    override func error(_ error: any Error) { rest.error(error) }
    override func completed() { rest.completed() }
}
