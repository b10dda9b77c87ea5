/// A type that converts to a stream. Source: RxSwift's `ObservableConvertibleType`.
@preconcurrency
public protocol ObservableConvertibleType<Element>: Sendable {
    associatedtype Element

    func asObservable() -> Observable<Element>
}

/// A stream of events. Source: RxSwift's `ObservableType`.
///
/// All operators are extensions of this protocol. The contract page of the documentation lists the rules that every
/// stream follows.
@preconcurrency
public protocol ObservableType<Element>: ObservableConvertibleType {
    /// Starts the stream for `observer`.
    ///
    /// - Returns: the subscription. Disposing of it, on any thread, ends the stream without an event.
    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
    public func asObservable() -> Observable<Element> {
        .create { observer in self.subscribe(observer) }
    }
}
