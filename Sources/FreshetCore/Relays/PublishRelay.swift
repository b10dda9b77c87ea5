/// A ``PublishSubject`` that never ends: sends its observers what comes after they subscribed.
/// Source: RxRelay's `PublishRelay`.
///
/// Elements can come from any thread, and from inside an observer's `onNext`, as with the subject.
public final class PublishRelay<Element>: RelayType {
    @usableFromInline let subject = PublishSubject<Element>()

    public init() {}

    /// Sends `event`, an element in spite of its name, to all observers.
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
