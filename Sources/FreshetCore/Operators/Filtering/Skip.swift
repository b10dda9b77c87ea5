extension ObservableType {
    /// Emits all elements except the first `count`. Source: RxSwift's `skip`.
    public func skip(_ count: Int) -> Observable<Element> {
        asObservable().linear { SkipSink(to: $0, count) }
    }

    /// Emits the first element that does not satisfy `predicate`, and all elements after it. An error that `predicate`
    /// throws ends the stream. Source: RxSwift's `skip(while:)`.
    @preconcurrency
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        asObservable().linear { SkipWhileSink(to: $0, predicate) }
    }
}

private final class SkipSink<Element>: OperatorSink<Element, Element> {
    private var remaining: Int

    init(to downstream: Sink<Element>, _ count: Int) {
        remaining = count
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        if remaining > 0 { remaining -= 1 } else { downstream.next(element) }
    }
}

private final class SkipWhileSink<Element>: OperatorSink<Element, Element> {
    private var predicate: ((Element) throws -> Bool)?

    init(to downstream: Sink<Element>, _ predicate: @escaping (Element) throws -> Bool) {
        self.predicate = predicate
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        do {
            if let predicate {
                if try predicate(element) { return }
                self.predicate = nil
            }
            downstream.next(element)
        } catch {
            downstream.error(error)
        }
    }
}
