/// A ``ReplaySubject`` that never ends. It sends each new observer the last elements at once and then all later elements.
///
/// Any thread can call `accept`, and so can an observer's `onNext`. Source: RxRelay's `ReplayRelay`.
public final class ReplayRelay<Element>: RelayType {
    @usableFromInline let subject: ReplaySubject<Element>

    private init(_ subject: ReplaySubject<Element>) {
        self.subject = subject
    }

    /// Creates a relay that replays the last `bufferSize` elements.
    public static func create(bufferSize: Int) -> ReplayRelay<Element> {
        ReplayRelay(.create(bufferSize: bufferSize))
    }

    /// Creates a relay that replays all elements. It keeps all of them in memory.
    public static func createUnbound() -> ReplayRelay<Element> {
        ReplayRelay(.createUnbounded())
    }

    /// Sends `event`, which is an element despite its name, to all observers, and keeps it for later observers.
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
