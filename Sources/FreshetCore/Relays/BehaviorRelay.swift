/// A ``BehaviorSubject`` that never ends: has a current value, sends it to each new observer at once, and then what
/// comes. Source: RxRelay's `BehaviorRelay`.
///
/// A value is current as soon as `accept` is called. Elements can come from any thread, and from inside an observer's
/// `onNext`, as with the subject. Reading ``value`` and accepting what is made of it are two steps, between which
/// another thread can accept.
public final class BehaviorRelay<Element>: RelayType {
    @usableFromInline let subject: BehaviorSubject<Element>

    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// The current value.
    public var value: Element {
        // Only an error or `dispose` would make it throw, and a relay passes neither on.
        try! subject.value()
    }

    /// Makes `event` the current value, and sends it to all observers.
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
