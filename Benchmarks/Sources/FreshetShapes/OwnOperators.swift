import Freshet

/// `map` and `filter` as a user writes operators.
extension ObservableType {
    func mapped<Result>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Observable<Result> {
        lift { MappingSink(to: $0, transform) }
    }

    func filtered(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        lift { FilteringSink(to: $0, predicate) }
    }
}

private final class MappingSink<Element, Result>: OperatorSink<Element, Result> {
    private let transform: (Element) throws -> Result

    init(to downstream: Sink<Result>, _ transform: @escaping (Element) throws -> Result) {
        self.transform = transform
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        do { downstream.next(try transform(element)) } catch { downstream.error(error) }
    }
}

private final class FilteringSink<Element>: OperatorSink<Element, Element> {
    private let predicate: (Element) throws -> Bool

    init(to downstream: Sink<Element>, _ predicate: @escaping (Element) throws -> Bool) {
        self.predicate = predicate
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        do { if try predicate(element) { downstream.next(element) } } catch { downstream.error(error) }
    }
}
