/// A ``BehaviorSubject`` that never ends. It has a current value, and sends each new observer the current value at once
/// and all later elements.
///
/// A value is current as soon as `accept` is called. Any thread can call `accept`, and so can an observer's `onNext`.
/// Reading ``value`` and accepting a new value are two steps: another thread can call `accept` in between.
/// Source: RxRelay's `BehaviorRelay`.
public final class BehaviorRelay<Element>: RelayType {
    @usableFromInline let subject: BehaviorSubject<Element>

    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// The current value.
    public var value: Element {
        // `value()` throws only after an error or `dispose`, and a relay forwards neither to its subject.
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
