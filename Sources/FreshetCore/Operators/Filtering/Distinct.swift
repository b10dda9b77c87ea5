extension ObservableType where Element: Hashable & SendableMetatype {
    /// Emits the elements that are not among the remembered elements, and remembers each element that it emits. The
    /// remembered elements are the last `limit` elements that were emitted.
    /// Source: RxJava's `distinct`, which has no limit.
    ///
    ///     source:             -a-b-a-c-a-b|
    ///     distinct():         -a-b---c----|
    ///     distinct(limit: 2): -a-b---c-a-b|
    ///
    /// - Parameter limit: the number of remembered elements. The element that was emitted longest ago is forgotten
    ///   first, even if it has arrived again in the meantime. Without a limit all elements are remembered, and the
    ///   memory grows with their number.
    @preconcurrency
    @_disfavoredOverload  // See `partition(_:)`.
    public func distinct(limit: Int = .max) -> Observable<Element> {
        distinct(by: { $0 }, limit: limit)
    }
}

extension ObservableType {
    /// Emits the elements whose key is not among the remembered keys, and remembers the key of each element that it
    /// emits. The remembered keys are those of the last `limit` elements that were emitted.
    /// Source: RxJava's `distinct(keySelector)`, which has no limit.
    ///
    /// - Parameters:
    ///   - keySelector: returns the key of an element. An error that it throws ends the stream.
    ///   - limit: the number of remembered keys. The key whose element was emitted longest ago is forgotten first, even
    ///     if it has arrived again in the meantime. Without a limit all keys are remembered, and the memory grows with
    ///     their number.
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
    /// The remembered keys, oldest first. The queue is used only with a limit.
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
