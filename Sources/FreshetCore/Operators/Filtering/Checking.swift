extension Observable {
    /// Passes each element to `check` before it emits the element. An error that `check` throws ends the stream.
    @inlinable
    package final func checking(_ check: @escaping @Sendable (Element) throws -> Void) -> Observable<Element> {
        linear { CheckSink(to: $0, check) }
    }
}

@usableFromInline
final class CheckSink<Element>: OperatorSink<Element, Element> {
    @usableFromInline let check: (Element) throws -> Void

    @inlinable
    init(to downstream: Sink<Element>, _ check: @escaping (Element) throws -> Void) {
        self.check = check
        super.init(to: downstream)
    }

    @usableFromInline
    override func next(_ element: Element) {
        do { try check(element) } catch { return downstream.error(error) }
        downstream.next(element)
    }
}
