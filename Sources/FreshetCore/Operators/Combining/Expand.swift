extension ObservableType {
    /// Emits the elements of `self`, and subscribes to a stream for each of them. It also emits the elements of those
    /// streams, and expands them in the same way. Source: RxJS's `expand`.
    ///
    ///     firstPage.expand { page in page.next.map(load) ?? .empty() }
    ///
    /// The operator emits an element before it starts the element's stream. While `maxConcurrent` streams run or the
    /// operator is paused, elements wait for the start of their streams. The stream completes when `self` and all inner
    /// streams have completed. The first error, also one that `selector` throws, ends the stream.
    @preconcurrency
    public func expand<Source: ObservableConvertibleType>(
        maxConcurrent: Int = .max, _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Element> where Source.Element == Element {
        precondition(maxConcurrent > 0, "expand(maxConcurrent: \(maxConcurrent)): nothing could ever run")
        return asObservable().linear { downstream in
            let feedback = Feedback(to: downstream)
            let sink = ExpandSink(feedback, maxConcurrent) { try selector($0).asObservable() }
            feedback.expansion = sink
            return sink
        }
    }
}

/// Sends all elements downstream. ``Feedback`` returns each element, which is then expanded.
private final class ExpandSink<Element>: Flattening<Element, Element> {
    private let maxConcurrent: Int

    // Accessed only under the drain.
    private var waiting = Fifo<Element>()
    private var isExpanding = false

    init(
        _ downstream: Feedback<Element>, _ maxConcurrent: Int,
        _ selector: @escaping (Element) throws -> Observable<Element>
    ) {
        self.maxConcurrent = maxConcurrent
        super.init(to: downstream, selector)
    }

    // Elements are queued here, because their streams start only after they have passed downstream.
    override func next(_ element: Element) { handleInTurn(element) }
    override func enqueue(_ element: Element) { submit(.element(element)) }
    override func accept(_ element: Element) { downstream.next(element) }
    override func refill() { expand() }

    func feedBack(_ element: Element) {
        waiting.append(element)
        // While `expand` starts a stream, elements of that stream are only queued.
        if !isExpanding { expand() }
    }

    private func expand() {
        isExpanding = true
        while running < maxConcurrent, !isDisposed, !waiting.isEmpty, !pauseState.defersDueWork(),
            let element = waiting.popFirst()
        { start(element) }
        isExpanding = false
    }

    override var isIdle: Bool { running == 0 && waiting.isEmpty }
}

private final class Feedback<Element>: OperatorSink<Element, Element> {
    /// The sink whose downstream sink this is. It is the only caller of this object.
    unowned var expansion: ExpandSink<Element>!

    override func next(_ element: Element) {
        downstream.next(element)
        expansion.feedBack(element)
    }
}
