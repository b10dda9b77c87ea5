extension ObservableType {
    /// Emits the results of `transform` that are not `nil`. An error that `transform` throws ends the stream.
    /// Source: RxSwift's `compactMap`.
    @inlinable
    @preconcurrency
    public func compactMap<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Observable<Result> {
        asObservable().linear { CompactMapSink(to: $0, transform) }
    }
}

@usableFromInline
final class CompactMapSink<Element, Result>: OperatorSink<Element, Result> {
    @usableFromInline let transform: (Element) throws -> Result?

    @inlinable
    init(to downstream: Sink<Result>, _ transform: @escaping (Element) throws -> Result?) {
        self.transform = transform
        super.init(to: downstream)
    }

    @inlinable
    override func next(_ element: Element) {
        do {
            if let result = try transform(element) { downstream.next(result) }
        } catch {
            downstream.error(error)
        }
    }
}
