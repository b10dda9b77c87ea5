/// The stream of an operator whose sink is a ``Flattening`` sink.
// A class of its own, because a closure that makes the sink would be another object.
@usableFromInline
final class FlatteningStream<Element, Result>: LinearStream<Element, Result>, @unchecked Sendable {
    @usableFromInline typealias Selector = (Element) throws -> Observable<Result>

    @usableFromInline let selector: Selector
    @usableFromInline let makeSink: (Sink<Result>, @escaping Selector) -> Sink<Element>

    /// - Parameter makeSink: makes the sink of a subscription. It captures nothing, and is made where the types are
    ///   known.
    @inlinable
    init(
        _ source: Observable<Element>, _ selector: @escaping Selector,
        makeSink: @escaping (Sink<Result>, @escaping Selector) -> Sink<Element>
    ) {
        self.selector = selector
        self.makeSink = makeSink
        super.init(source) { stream, sink in
            let stream = unsafeDowncast(stream, to: FlatteningStream.self)
            return stream.makeSink(sink, stream.selector)
        }
    }
}
