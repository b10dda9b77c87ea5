/// A subject that never ends: it receives elements through `accept`, and never fails or completes.
@preconcurrency
public protocol RelayType<Element>: ObservableType {
    /// Sends `event`, which is an element despite its name, to all observers.
    func accept(_ event: Element)
}

extension RelayType {
    /// Returns the same stream as an ``Infallible``. Source: RxSwift's `asInfallible`.
    @inlinable
    public func asInfallible() -> Infallible<Element> {
        Infallible(asObservable())
    }
}
