/// The receiving end of a stream. Source: RxSwift's `ObserverType`.
public protocol ObserverType<Element> {
    associatedtype Element

    /// Receives the next event. The library calls this method serially, and never again after a stop event.
    func on(_ event: Event<Element>)

    /// Receives `element`. The effect is the same as that of `on(.next(element))`, which is also the default implementation.
    func onNext(_ element: Element)
}

extension ObserverType {
    /// Calls `on(.next(element))`.
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

    /// Returns an observer of another element type. `transform` turns its elements into elements of this observer. If
    /// `transform` throws, this observer receives the error. Source: RxSwift's `mapObserver`.
    @preconcurrency
    public func mapObserver<Result>(
        _ transform: @escaping @Sendable (Result) throws -> Element
    ) -> AnyObserver<Result> {
        let observer = AnyObserver(self)
        return AnyObserver { event in observer.on(event.map(transform)) }
    }
}

/// A type-erased observer of `Element`. Source: RxSwift's `AnyObserver`.
///
/// An `AnyObserver` can be passed to another thread, as in RxSwift. The library's own observers accept events on any
/// thread, and an `eventHandler` of your own has to do so too.
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
