extension ObservableType {
    /// The elements, a stream for each of them, a stream for each element of those, and so on. Source: RxJS's `expand`.
    ///
    ///     firstPage.expand { page in page.next.map(load) ?? .empty() }
    ///
    /// An element goes downstream before its stream begins; an element whose stream has to wait, because `maxConcurrent`
    /// run or this is paused, waits. It completes when `self` and all the streams have; the first error, also one that `selector` throws, ends
    /// everything.
    @preconcurrency
    public func expand<Source: ObservableConvertibleType>(
        maxConcurrent: Int = .max, _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Element> where Source.Element == Element {
        precondition(maxConcurrent > 0, "expand(maxConcurrent: \(maxConcurrent)): nothing could ever run")
        let source = asObservable()
        return source.linear { downstream in
            let feedback = Feedback(to: downstream)
            let sink = ExpandSink(feedback, maxConcurrent) { try selector($0).asObservable() }
            feedback.expansion = sink
            return sink
        }
    }
}

/// What the outer stream or an inner one says goes downstream, and comes back as an element to expand.
private final class ExpandSink<Element>: Flattening<Element, Element>, @unchecked Sendable {
    private let maxConcurrent: Int

    // Touched under the drain alone.
    private var waiting = Fifo<Element>()
    private var isExpanding = false

    init(
        _ downstream: Feedback<Element>, _ maxConcurrent: Int,
        _ selector: @escaping (Element) throws -> Observable<Element>
    ) {
        self.maxConcurrent = maxConcurrent
        super.init(to: downstream, selector)
    }

    // What comes is no stream yet.
    override func next(_ element: Element) { handleInTurn(element) }
    override func accept(_ element: Element) { downstream.next(element) }
    override func refill() { expand() }

    func fed(_ element: Element) {
        waiting.append(element)
        // An inner stream that speaks within its subscribing call only leaves its elements here.
        if !isExpanding { expand() }
    }

    private func expand() {
        isExpanding = true
        while running < maxConcurrent, !isDisposed, !waiting.isEmpty, !hold.putsOff(),
            let element = waiting.popFirst()
        { start(element) }
        isExpanding = false
    }

    override var isIdle: Bool { running == 0 && waiting.isEmpty }
}

private final class Feedback<Element>: OperatorSink<Element, Element> {
    /// It has this as its downstream, and is its only caller.
    unowned var expansion: ExpandSink<Element>!

    override func next(_ element: Element) {
        downstream.next(element)
        expansion.fed(element)
    }
}
