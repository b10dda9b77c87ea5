/// A stream that does not fail. Source: RxSwift's `Infallible`.
///
/// An `Infallible` wraps an ``Observable`` and adds only a promise to its type: its operators take closures that cannot
/// throw, and `subscribe` has no `onError`. It does not share a subscription. Some closures can throw because those of
/// RxSwift can. An error that occurs nevertheless is a programming error, which ``InfallibleType/subscribe(_:)``
/// reports.
public struct Infallible<Element>: InfallibleType {
    @usableFromInline let source: Observable<Element>

    /// Wraps `source`, which the caller ensures does not fail.
    @inlinable
    init(_ source: Observable<Element>) {
        self.source = source
    }

    @inlinable
    public func asObservable() -> Observable<Element> { source }
}

/// A type that is an ``Infallible``. Source: RxSwift's `InfallibleType`.
@preconcurrency
public protocol InfallibleType<Element>: ObservableConvertibleType {}

/// One event of a stream that does not fail. The stream emits `next* completed?`. Source: RxSwift's `InfallibleEvent`.
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
