/// The elements of a stream that have one key; see ``ObservableType/groupBy(keySelector:)``.
/// Source: RxSwift's `GroupedObservable`.
///
/// Unchecked: the key is handed to any thread, as an element is.
public struct GroupedObservable<Key, Element>: ObservableType, @unchecked Sendable {
    /// What the elements have in common.
    public let key: Key
    private let source: Observable<Element>

    public init(key: Key, source: Observable<Element>) {
        self.key = key
        self.source = source
    }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        source.subscribe(observer)
    }

    public func asObservable() -> Observable<Element> { source }
}
