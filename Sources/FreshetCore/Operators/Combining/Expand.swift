extension ObservableType {
    /// The elements, a stream for each of them, a stream for each element of those, and so on. Source: RxJS's `expand`.
    ///
    ///     firstPage.expand { page in page.next.map(load) ?? .empty() }
    ///
    /// An element goes downstream before its stream begins; an element whose stream has to wait, because `maxConcurrent`
    /// run, waits. It completes when `self` and all the streams have; the first error, also one that `selector` throws, ends
    /// everything.
    @preconcurrency
    public func expand<Source: ObservableConvertibleType>(
        maxConcurrent: Int = .max, _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Element> where Source.Element == Element {
        precondition(maxConcurrent > 0, "expand(maxConcurrent: \(maxConcurrent)): nothing could ever run")
        let source = asObservable()
        return Producer { downstream in
            let feedback = Feedback<Source>(to: downstream)
            let sink = ExpandSink(feedback, maxConcurrent, selector)
            feedback.expansion = sink
            source.run(sink)
        }
    }
}

/// What the outer stream or an inner one says goes downstream, and comes back as an element to expand.
private final class ExpandSink<Source: ObservableConvertibleType>: Flattening<Source.Element, Source>,
    @unchecked Sendable
{
    private let maxConcurrent: Int

    // Touched under the drain alone.
    private var waiting = Fifo<Source.Element>()
    private var isExpanding = false

    init(
        _ downstream: Feedback<Source>, _ maxConcurrent: Int, _ selector: @escaping (Source.Element) throws -> Source
    ) {
        self.maxConcurrent = maxConcurrent
        super.init(to: downstream, selector)
    }

    override func accept(_ element: Source.Element) { downstream.next(element) }
    override func refill() { expand() }

    func fed(_ element: Source.Element) {
        waiting.append(element)
        // An inner stream that speaks within its subscribing call only leaves its elements here.
        if !isExpanding { expand() }
    }

    private func expand() {
        isExpanding = true
        while running < maxConcurrent, !subscriptions.isDisposed, let element = waiting.popFirst() { start(element) }
        isExpanding = false
    }
}

private final class Feedback<Source: ObservableConvertibleType>: Pipe<Source.Element, Source.Element> {
    /// It has this as its downstream, and is its only caller.
    unowned var expansion: ExpandSink<Source>!

    override func next(_ element: Source.Element) {
        downstream.next(element)
        expansion.fed(element)
    }
}
