/// A subject that sends each observer the events that arrive after it subscribed. Source: RxSwift's `PublishSubject`.
///
/// Events can come from any thread, and from inside an observer's `onNext`. The subject delivers them one at a time, in
/// the order of arrival. An observer that subscribes after the stop event receives that event.
public final class PublishSubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
    @unchecked Sendable
{
    public typealias SubjectObserverType = PublishSubject<Element>

    @usableFromInline let multicaster = Multicaster<Element>()

    @inlinable
    public override init() {
        super.init(depth: 0, isHot: true)
    }

    deinit { multicaster.shut(isGone: true) }

    /// Whether the subject has observers.
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

    /// Removes all observers without sending them an event. Later observers receive ``RxError/disposed(object:)``.
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
