extension ObservableType {
    /// Emits the elements that satisfy `predicate`. An error that `predicate` throws ends the stream.
    /// Source: RxSwift's `filter`.
    @inlinable
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        asObservable().linear { FilterSink(to: $0, predicate) }
    }
}

@usableFromInline
final class FilterSink<Element>: OperatorSink<Element, Element> {
    @usableFromInline let predicate: (Element) throws -> Bool

    @inlinable
    init(to downstream: Sink<Element>, _ predicate: @escaping (Element) throws -> Bool) {
        self.predicate = predicate
        super.init(to: downstream)
    }

    @inlinable
    override func next(_ element: Element) {
        do {
            if try predicate(element) { downstream.next(element) }
        } catch {
            downstream.error(error)
        }
    }
}
