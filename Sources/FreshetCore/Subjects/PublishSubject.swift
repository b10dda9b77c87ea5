/// Sends its observers what comes after they subscribed. Source: RxSwift's `PublishSubject`.
///
/// Events can come from any thread, and from inside an observer's `onNext`: they are handed on one at a time, in the
/// order of arrival. Who subscribes after the stop event gets that event.
public final class PublishSubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
    @unchecked Sendable
{
    public typealias SubjectObserverType = PublishSubject<Element>

    @usableFromInline let multicaster = Multicaster<Element>()

    @inlinable
    public override init() {
        super.init()
    }

    deinit { multicaster.shut(isGone: true) }

    /// Whether anybody is subscribed.
    public var hasObservers: Bool { multicaster.hasMembers }

    public var isDisposed: Bool { multicaster.isDisposed }

    @inlinable
    public func on(_ event: Event<Element>) {
        multicaster.on(event)
    }

    /// Sends `element` to all observers.
    @inlinable
    public func onNext(_ element: Element) {
        multicaster.next(element)
    }

    public func asObserver() -> PublishSubject<Element> { self }

    /// Lets all observers go without a word; who subscribes afterwards gets ``RxError/disposed(object:)``.
    public func dispose() {
        multicaster.shut(isGone: false)
    }

    @usableFromInline
    override func run(_ sink: Sink<Element>) {
        if !isDisposed { return multicaster.join(sink) }
        sink.begin(with: NopDisposable.shared)
        sink.error(RxError.disposed(object: self))
    }
}
