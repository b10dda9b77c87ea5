/// The end of a ``Maybe``. Source: RxSwift's `MaybeEvent`.
@frozen
public enum MaybeEvent<Element> {
    /// The stream has its one element. Nothing follows.
    case success(Element)
    /// The stream has failed.
    case error(any Error)
    /// The stream has ended without an element.
    case completed
}

extension MaybeEvent: Sendable where Element: Sendable {}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

    /// Creates a maybe that ends when `subscribe` calls the observer. The disposable that `subscribe` returns cancels
    /// the work. Source: RxSwift's `create`.
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping MaybeObserver) -> any Disposable
    ) -> Maybe<Element> {
        let source = Observable<Element>.create { observer in
            subscribe { event in
                switch event {
                case .success(let element):
                    observer.onNext(element)
                    observer.onCompleted()
                case .error(let error):
                    observer.onError(error)
                case .completed:
                    observer.onCompleted()
                }
            }
        }
        return PrimitiveSequence(raw: source)
    }

    /// Creates a maybe that succeeds at once with `element`.
    public static func just(_ element: Element) -> Maybe<Element> {
        PrimitiveSequence(raw: .just(element))
    }

    /// Creates a maybe that succeeds with `element` on `scheduler`.
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Maybe<Element> {
        PrimitiveSequence(raw: .just(element, scheduler: scheduler))
    }

    /// Creates a maybe that fails at once with `error`.
    public static func error(_ error: any Error) -> Maybe<Element> {
        PrimitiveSequence(raw: .error(error))
    }

    /// Creates a maybe that never ends.
    public static func never() -> Maybe<Element> {
        PrimitiveSequence(raw: .never())
    }

    /// Creates a maybe that completes at once without an element.
    public static func empty() -> Maybe<Element> {
        PrimitiveSequence(raw: .empty())
    }

    /// Subscribes a closure that receives the result.
    @preconcurrency
    public func subscribe(_ observer: @escaping MaybeObserver) -> any Disposable {
        subscribe(
            onSuccess: { observer(.success($0)) }, onError: { observer(.error($0)) },
            onCompleted: { observer(.completed) }, onDisposed: nil)
    }

    /// Subscribes a closure for each kind of result.
    /// Source: RxSwift's `subscribe(onSuccess:onError:onCompleted:onDisposed:)`.
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let subscriber = ResultSubscriber(
            onSuccess: onSuccess, onFailure: onError, onCompleted: onCompleted, onDisposed: onDisposed)
        primitiveSequence.source.subscribe(subscriber)
        return subscriber
    }
}
