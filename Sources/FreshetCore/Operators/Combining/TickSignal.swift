/// A signal of an operator that has a source and another stream, of whose elements only the time matters.
enum TickSignal<Element> {
    case source(Event<Element>)
    case tick
    case failed(any Error)
}
