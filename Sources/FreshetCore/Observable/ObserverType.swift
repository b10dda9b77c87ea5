/// The receiving end of a stream. Source: RxSwift's `ObserverType`.
public protocol ObserverType<Element> {
    associatedtype Element

    /// Takes the next event. The library calls it serially, and never again after a stop event.
    func on(_ event: Event<Element>)

    /// Takes `element`: what `on(.next(element))` does, which is also what it does if it is not implemented.
    func onNext(_ element: Element)
}

extension ObserverType {
    /// Sends `element` on.
    @inlinable
    public func onNext(_ element: Element) {
        on(.next(element))
    }

    /// Ends the stream with `error`.
    @inlinable
    public func onError(_ error: any Error) {
        on(.error(error))
    }

    /// Ends the stream.
    @inlinable
    public func onCompleted() {
        on(.completed)
    }

    public func asObserver() -> AnyObserver<Element> {
        AnyObserver(self)
    }

    /// An observer of another kind of element, which `transform` turns into this one's; an error that it throws comes as
    /// the stream's. Source: RxSwift's `mapObserver`.
    @preconcurrency
    public func mapObserver<Result>(
        _ transform: @escaping @Sendable (Result) throws -> Element
    ) -> AnyObserver<Result> {
        let observer = AnyObserver(self)
        return AnyObserver { event in observer.on(event.map(transform)) }
    }
}

/// Any observer of `Element`. Source: RxSwift's `AnyObserver`.
///
/// It can be handed to another thread, as RxSwift's can: what it leads to inside the library takes events from any
/// thread, and an `eventHandler` of your own has to.
public struct AnyObserver<Element>: ObserverType, @unchecked Sendable {
    public typealias EventHandler = @Sendable (Event<Element>) -> Void

    @usableFromInline let handler: (Event<Element>) -> Void

    @inlinable
    @preconcurrency
    public init(eventHandler: @escaping EventHandler) {
        handler = eventHandler
    }

    @inlinable
    public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
        handler = observer.on
    }

    @inlinable
    public func on(_ event: Event<Element>) {
        handler(event)
    }

    public func asObserver() -> AnyObserver<Element> { self }
}
