/// A subject that never ends: elements go in by `accept`, and it neither fails nor completes.
@preconcurrency
public protocol RelayType<Element>: ObservableType {
    /// Sends `event`, an element in spite of its name, to all observers.
    func accept(_ event: Element)
}

extension RelayType {
    /// The same stream, typed. Source: RxSwift's `asInfallible`.
    @inlinable
    public func asInfallible() -> Infallible<Element> {
        Infallible(asObservable())
    }
}
