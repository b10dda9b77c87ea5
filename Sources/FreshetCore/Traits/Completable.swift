/// The end of a ``Completable``. Source: RxSwift's `CompletableEvent`.
@frozen
public enum CompletableEvent: Sendable {
    /// The work has failed.
    case error(any Error)
    /// The work is done.
    case completed
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

    /// Creates a completable that ends when `subscribe` calls the observer. The disposable that `subscribe` returns
    /// cancels the work. Source: RxSwift's `create`.
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping CompletableObserver) -> any Disposable
    ) -> Completable {
        let source = Observable<Never>.create { observer in
            subscribe { event in
                switch event {
                case .error(let error): observer.onError(error)
                case .completed: observer.onCompleted()
                }
            }
        }
        return PrimitiveSequence(raw: source)
    }

    /// Creates a completable that fails at once with `error`.
    public static func error(_ error: any Error) -> Completable {
        PrimitiveSequence(raw: .error(error))
    }

    /// Creates a completable that never ends.
    public static func never() -> Completable {
        PrimitiveSequence(raw: .never())
    }

    /// Creates a completable that completes at once.
    public static func empty() -> Completable {
        PrimitiveSequence(raw: .empty())
    }

    /// Subscribes a closure that receives the end.
    @preconcurrency
    public func subscribe(_ observer: @escaping CompletableObserver) -> any Disposable {
        primitiveSequence.source.subscribe(
            AnyObserver { event in
                switch event {
                case .next: break
                case .error(let error): observer(.error(error))
                case .completed: observer(.completed)
                }
            })
    }

    /// Subscribes a closure for each kind of end. Source: RxSwift's `subscribe(onCompleted:onError:onDisposed:)`.
    @preconcurrency
    public func subscribe(
        onCompleted: (@Sendable () -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.source.subscribe(onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }
}
