extension ObservableType where Element: Hashable & SendableMetatype {
    /// The elements that were not among the last `limit` that differ from each other. Source: RxJava's `distinct`; the
    /// bound is not.
    ///
    ///     source:             -a-b-a-c-a-b|
    ///     distinct():         -a-b---c----|
    ///     distinct(limit: 2): -a-b---c-a-b|
    ///
    /// - Parameter limit: how many are remembered. Those that passed longest ago are forgotten first, also if they came
    ///   again in the meantime. Without it all are remembered, in memory that grows with their number.
    @preconcurrency
    public func distinct(limit: Int = .max) -> Observable<Element> {
        distinct(by: { $0 }, limit: limit)
    }
}

extension ObservableType {
    /// The elements whose key was not among the last `limit` that differ from each other. Source: RxJava's
    /// `distinct(keySelector)`; the bound is not.
    ///
    /// - Parameters:
    ///   - keySelector: the key of an element; an error that it throws ends the stream.
    ///   - limit: how many keys are remembered. Those that passed longest ago are forgotten first, also if they came again
    ///     in the meantime. Without it all are remembered, in memory that grows with their number.
    @preconcurrency
    public func distinct<Key: Hashable & SendableMetatype>(
        by keySelector: @escaping @Sendable (Element) throws -> Key, limit: Int = .max
    ) -> Observable<Element> {
        precondition(limit > 0, "distinct(limit: \(limit)): nothing could be remembered")
        return asObservable().linear { DistinctSetSink(to: $0, keySelector, limit: limit) }
    }
}

private final class DistinctSetSink<Element, Key: Hashable>: OperatorSink<Element, Element> {
    private let keySelector: (Element) throws -> Key
    private let limit: Int
    private var remembered: Set<Key> = []
    /// Kept where some have to be forgotten.
    private var order = Fifo<Key>()

    init(to downstream: Sink<Element>, _ keySelector: @escaping (Element) throws -> Key, limit: Int) {
        self.keySelector = keySelector
        self.limit = limit
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        do {
            let key = try keySelector(element)
            guard remembered.insert(key).inserted else { return }
            if limit < .max { forgetOldest(of: key) }
            downstream.next(element)
        } catch {
            downstream.error(error)
        }
    }

    private func forgetOldest(of key: Key) {
        order.append(key)
        if order.count > limit, let oldest = order.popFirst() { remembered.remove(oldest) }
    }
}
