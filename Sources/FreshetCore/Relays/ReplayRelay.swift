/// A ``ReplaySubject`` that never ends: sends each new observer the last elements, and then what comes.
/// Source: RxRelay's `ReplayRelay`.
///
/// Elements can come from any thread, and from inside an observer's `onNext`, as with the subject.
public final class ReplayRelay<Element>: RelayType {
    @usableFromInline let subject: ReplaySubject<Element>

    private init(_ subject: ReplaySubject<Element>) {
        self.subject = subject
    }

    /// A relay that replays the last `bufferSize` elements.
    public static func create(bufferSize: Int) -> ReplayRelay<Element> {
        ReplayRelay(.create(bufferSize: bufferSize))
    }

    /// A relay that replays everything, and therefore keeps it.
    public static func createUnbound() -> ReplayRelay<Element> {
        ReplayRelay(.createUnbounded())
    }

    /// Sends `event`, an element in spite of its name, to all observers, and keeps it for those who come later.
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
