/// A signal of an operator that has a source and another stream, of whose elements only the time matters.
enum TickSignal<Element> {
    case source(Event<Element>)
    case tick
    case failed(any Error)
}

extension ObservableConvertibleType {
    /// Returns a stream that emits one element when the first element of this stream arrives.
    func asTick() -> Observable<Void> { asObservable().take(1).map { _ in } }
}
