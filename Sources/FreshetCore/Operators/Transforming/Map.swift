extension ObservableType {
    /// Emits the result of `transform` for each element. An error that `transform` throws ends the stream.
    /// Source: RxSwift's `map`.
    @inlinable
    @preconcurrency
    public func map<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Observable<Result> {
        asObservable().linear { MapSink(to: $0, transform) }
    }
}

@usableFromInline
final class MapSink<Element, Result>: OperatorSink<Element, Result> {
    @usableFromInline let transform: (Element) throws -> Result

    @inlinable
    init(to downstream: Sink<Result>, _ transform: @escaping (Element) throws -> Result) {
        self.transform = transform
        super.init(to: downstream)
    }

    @inlinable
    override func next(_ element: Element) {
        do {
            downstream.next(try transform(element))
        } catch {
            downstream.error(error)
        }
    }
}
