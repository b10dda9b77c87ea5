import Synchronization

/// The end of a ``Single``. Source: RxSwift's `SingleEvent`.
public typealias SingleEvent<Element> = Result<Element, any Error>

extension PrimitiveSequenceType where Trait == SingleTrait {
    public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

    /// Creates a single that ends when `subscribe` calls the observer. The disposable that `subscribe` returns cancels
    /// the work. Source: RxSwift's `create`.
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

    /// Creates a single that succeeds at once with `element`.
    @inlinable
    public static func just(_ element: Element) -> Single<Element> {
        PrimitiveSequence(raw: .just(element))
    }

    /// Creates a single that succeeds with `element` on `scheduler`.
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Single<Element> {
        PrimitiveSequence(raw: .just(element, scheduler: scheduler))
    }

    /// Creates a single that fails at once with `error`.
    public static func error(_ error: any Error) -> Single<Element> {
        PrimitiveSequence(raw: .error(error))
    }

    /// Creates a single that never ends.
    public static func never() -> Single<Element> {
        PrimitiveSequence(raw: .never())
    }

    /// Subscribes a closure that receives the result.
    @inlinable
    @preconcurrency
    public func subscribe(_ observer: @escaping SingleObserver) -> any Disposable {
        subscribe(
            onSuccess: { observer(.success($0)) }, onFailure: { observer(.failure($0)) }, onDisposed: nil)
    }

    /// Subscribes a closure for each kind of result. Source: RxSwift's `subscribe(onSuccess:onFailure:onDisposed:)`.
    @inlinable
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onFailure: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        let subscriber = ResultSubscriber(onSuccess: onSuccess, onFailure: onFailure, onDisposed: onDisposed)
        primitiveSequence.source.subscribe(subscriber)
        return subscriber
    }
}

/// The subscriber of a single or a maybe. It treats the element as the end. The completion after the element is not a second
/// result.
@usableFromInline
final class ResultSubscriber<Element>: Subscriber<Element>, @unchecked Sendable {
    private var onSuccess: ((Element) -> Void)?
    private var onFailure: ((any Error) -> Void)?
    private var onCompleted: (() -> Void)?
    private var onDisposed: (() -> Void)?
    private let callStack: [String]
    private let hasResult = Atomic<Bool>(false)

    @usableFromInline
    init(
        onSuccess: ((Element) -> Void)?, onFailure: ((any Error) -> Void)?, onCompleted: (() -> Void)? = nil,
        onDisposed: (() -> Void)?
    ) {
        self.onSuccess = onSuccess
        self.onFailure = onFailure
        self.onCompleted = onCompleted
        self.onDisposed = onDisposed
        callStack = onFailure == nil ? Hooks.subscriptionCallStack : []
    }

    override func next(_ element: Element) {
        if isOver(assignment.isClosed) || hasResult.load(ordering: .relaxed) { return }
        onSuccess?(element)
        end()
    }

    override func stop(with error: (any Error)?) {
        if hasResult.load(ordering: .relaxed) { return }
        guard let error else {
            onCompleted?()
            return
        }
        if let onFailure { onFailure(error) } else { Hooks.defaultErrorHandler(callStack, error) }
    }

    override func ended() { end() }

    override func releaseObserver() { (onSuccess, onFailure, onCompleted, onDisposed) = (nil, nil, nil, nil) }

    private func end() {
        if !hasResult.exchange(true, ordering: .acquiringAndReleasing) { onDisposed?() }
    }
}
