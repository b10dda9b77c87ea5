extension ObservableType {
    /// Arrays of elements: each element of `boundary` sends what has come since the one before, also nothing.
    /// Source: RxJava's `buffer(boundary)`, RxJS's `buffer`.
    ///
    ///     source:                     -a-b-c--d-e|
    ///     boundary:                   ----x-x--x--
    ///     buffer(boundary: boundary): ----A-B--C-(D|)  A = [a, b], B = [c], C = [d], D = [e]
    ///
    /// The end of the source sends the rest, also an empty one. The end of `boundary` changes nothing, as in RxJS; an error
    /// of either ends everything.
    public func buffer<Boundary: ObservableConvertibleType>(boundary: Boundary) -> Observable<[Element]> {
        buffers(separatedBy: boundary.asObservable().map { _ in })
    }

    /// Arrays of elements: the first element of the stream that `closingSelector` makes sends what has come, also nothing;
    /// then it is asked anew. Source: RxJS's `bufferWhen`.
    ///
    ///     source:                           -a-b-c--d-e|
    ///     buffer(closingSelector: after 3): ---A--B--C-(D|)  A = [a, b], B = [c], C = [d], D = [e]
    ///
    /// The end of the source sends the rest, also an empty one. A stream that ends without an element changes nothing, as in
    /// RxJS: what follows is one array. An error of any, also one that `closingSelector` throws, ends everything. While this
    /// is paused no other stream is asked for. If each stream emits at once, the next is asked for until somebody disposes.
    @preconcurrency
    public func buffer<Closings: ObservableConvertibleType>(
        closingSelector: @escaping @Sendable () throws -> Closings
    ) -> Observable<[Element]> {
        buffers(separatedBy: .boundary(ifEmpty: .never(), closingSelector))
    }

    private func buffers(separatedBy boundary: Observable<Void>) -> Observable<[Element]> {
        let source = asObservable()
        return Producer(after: source) { sink in
            let coordinator = BufferBoundary(to: sink)
            sink.begin(with: coordinator)
            coordinator.subscribe(to: source, separatedBy: boundary)
        }
    }
}

private final class BufferBoundary<Element>: Coordinator<BoundarySignal<Element>>, @unchecked Sendable {
    private let downstream: Sink<[Element]>
    private var elements: [Element] = []

    init(to downstream: Sink<[Element]>) {
        self.downstream = downstream
    }

    override func handle(_ signal: BoundarySignal<Element>) {
        switch signal {
        case .source(.next(let element)): elements.append(element)
        case .boundary: send()
        case .source(.completed):
            send()
            if !subscriptions.isDisposed { downstream.completed() }
        case .source(.error(let error)), .failed(let error): downstream.error(error)
        }
    }

    private func send() {
        let full = elements
        elements = []
        downstream.next(full)
    }
}
