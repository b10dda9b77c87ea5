/// What can be seen as a stream. Source: RxSwift's `ObservableConvertibleType`.
@preconcurrency
public protocol ObservableConvertibleType<Element>: Sendable {
    associatedtype Element

    func asObservable() -> Observable<Element>
}

/// A stream of events. Source: RxSwift's `ObservableType`.
///
/// All operators are extensions of this protocol. The rules that every stream keeps are on the contract page of the
/// documentation.
@preconcurrency
public protocol ObservableType<Element>: ObservableConvertibleType {
    /// Starts the stream for `observer`.
    ///
    /// - Returns: the subscription; disposing of it ends the stream silently, from any thread.
    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
    public func asObservable() -> Observable<Element> {
        .create { observer in self.subscribe(observer) }
    }
}
