/// The elements of a stream that share one key. See ``ObservableType/groupBy(keySelector:)``.
/// Source: RxSwift's `GroupedObservable`.
///
/// The type is unchecked `Sendable`: the key can be passed to any thread, as elements can.
public struct GroupedObservable<Key, Element>: ObservableType, @unchecked Sendable {
    /// The key that all elements of this group share.
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
