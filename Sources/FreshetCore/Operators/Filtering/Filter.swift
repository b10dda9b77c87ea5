extension ObservableType {
    /// Emits the elements that satisfy `predicate`. An error that `predicate` throws ends the stream.
    /// Source: RxSwift's `filter`.
    @inlinable
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        return FilterStream(asObservable(), predicate)
    }
}

// A class of its own, because most chains contain a filter and a closure that makes the sink would be another object.
@usableFromInline
final class FilterStream<Element>: LinearStream<Element, Element>, @unchecked Sendable {
    @usableFromInline let predicate: (Element) throws -> Bool

    @inlinable
    init(_ source: Observable<Element>, _ predicate: @escaping (Element) throws -> Bool) {
        self.predicate = predicate
        super.init(source) { FilterSink(to: $1, unsafeDowncast($0, to: FilterStream.self).predicate) }
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
