/// How a ``Single`` ends. Source: RxSwift's `SingleEvent`.
public typealias SingleEvent<Element> = Result<Element, any Error>

extension PrimitiveSequenceType where Trait == SingleTrait {
    public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

    /// A single whose result comes from a closure, which returns what cancels it. Source: RxSwift's `create`.
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
    ) -> Single<Element> {
        let source = Observable<Element>.create { observer in
            subscribe { event in
                switch event {
                case .success(let element):
                    observer.onNext(element)
                    observer.onCompleted()
                case .failure(let error):
                    observer.onError(error)
                }
            }
        }
        return PrimitiveSequence(raw: source)
    }

    /// A success at once.
    public static func just(_ element: Element) -> Single<Element> {
        PrimitiveSequence(raw: .just(element))
    }

    /// A success on `scheduler`.
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Single<Element> {
        PrimitiveSequence(raw: .just(element, scheduler: scheduler))
    }

    /// A failure at once.
    public static func error(_ error: any Error) -> Single<Element> {
        PrimitiveSequence(raw: .error(error))
    }

    /// Neither, for ever.
    public static func never() -> Single<Element> {
        PrimitiveSequence(raw: .never())
    }

    /// Subscribes a handler of the result.
    @preconcurrency
    public func subscribe(_ observer: @escaping SingleObserver) -> any Disposable {
        primitiveSequence.source.subscribe { [once = Once()] event in
            guard once.isFirst() else { return }
            switch event {
            case .next(let element): observer(.success(element))
            case .error(let error): observer(.failure(error))
            case .completed: break
            }
        }
    }

    /// Subscribes a closure for each kind of result. Source: RxSwift's `subscribe(onSuccess:onFailure:onDisposed:)`.
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onFailure: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let ending = onDisposed.map { Disposables.create(with: $0) }
        let callStack = onFailure == nil ? Hooks.subscriptionCallStack : []
        let subscription = subscribe { event in
            switch event {
            case .success(let element): onSuccess?(element)
            case .failure(let error):
                if let onFailure { onFailure(error) } else { Hooks.defaultErrorHandler(callStack, error) }
            }
            ending?.dispose()
        }
        return ending.map { Disposables.create(subscription, $0) } ?? subscription
    }
}
