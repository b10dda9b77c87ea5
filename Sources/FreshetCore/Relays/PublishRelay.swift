/// A ``PublishSubject`` that never ends. It sends each observer the elements that are accepted after the observer subscribed.
///
/// Any thread can call `accept`, and so can an observer's `onNext`. Source: RxRelay's `PublishRelay`.
public final class PublishRelay<Element>: RelayType {
    @usableFromInline let subject = PublishSubject<Element>()

    public init() {}

    /// Sends `event`, which is an element despite its name, to all observers.
    @inlinable
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    @inlinable
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }

    @inlinable
    public func asObservable() -> Observable<Element> { subject }
}
