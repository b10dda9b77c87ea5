/// A stream that does not fail. Source: RxSwift's `Infallible`.
///
/// It is an ``Observable`` with a promise in its type, no other machinery: operators whose closures cannot throw, and
/// no `onError`. It does not share a subscription. Those closures that may throw do so because RxSwift's may; an error
/// that comes all the same is a programmer's error, which ``InfallibleType/subscribe(_:)`` reports.
public struct Infallible<Element>: InfallibleType {
    @usableFromInline let source: Observable<Element>

    /// Takes `source` at its word that it does not fail.
    @inlinable
    init(_ source: Observable<Element>) {
        self.source = source
    }

    @inlinable
    public func asObservable() -> Observable<Element> { source }
}

/// What is an ``Infallible``. Source: RxSwift's `InfallibleType`.
@preconcurrency
public protocol InfallibleType<Element>: ObservableConvertibleType {}

/// What a stream says that does not fail: `next* completed?`. Source: RxSwift's `InfallibleEvent`.
@frozen
public enum InfallibleEvent<Element> {
    /// The next element.
    case next(Element)
    /// The stream has ended; nothing follows.
    case completed
}

extension InfallibleEvent: Sendable where Element: Sendable {}

extension InfallibleEvent: EventConvertible {
    @inlinable
    public var event: Event<Element> {
        switch self {
        case .next(let element): .next(element)
        case .completed: .completed
        }
    }
}
