extension ObservableType {
    /// Emits an array at each element of `boundary`. The array contains the elements since the previous array, and can
    /// be empty. Source: RxJava's `buffer(boundary)`, RxJS's `buffer`.
    ///
    ///     source:                     -a-b-c--d-e|
    ///     boundary:                   ----x-x--x--
    ///     buffer(boundary: boundary): ----A-B--C-(D|)  A = [a, b], B = [c], C = [d], D = [e]
    ///
    /// The completion of the source emits the remaining elements, also as an empty array. The completion of `boundary`
    /// has no effect, as in RxJS. An error of either stream ends the stream.
    public func buffer<Boundary: ObservableConvertibleType>(boundary: Boundary) -> Observable<[Element]> {
        buffers(separatedBy: boundary.asObservable().map { _ in })
    }

    /// Emits an array at the first element of the stream that `closingSelector` returns, and then calls
    /// `closingSelector` again. The array contains the elements since the previous array, and can be empty.
    /// Source: RxJS's `bufferWhen`.
    ///
    ///     source:                           -a-b-c--d-e|
    ///     buffer(closingSelector: after 3): ---A--B--C-(D|)  A = [a, b], B = [c], C = [d], D = [e]
    ///
    /// The completion of the source emits the remaining elements, also as an empty array. If a closing stream completes
    /// without an element, all further elements form one array, as in RxJS. An error of any stream, also one that
    /// `closingSelector` throws, ends the stream. While the operator is paused, it does not request another closing
    /// stream. If each closing stream emits at once, the operator requests closing streams until the subscription is
    /// disposed of.
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
            sink.begin(with: coordinator.subscriptions)
            coordinator.subscribe(to: source, separatedBy: boundary)
        }
    }
}

private final class BufferBoundary<Element>: Coordinator<TickSignal<Element>, [Element]> {
    private var elements: [Element] = []

    override func handle(_ signal: TickSignal<Element>) {
        switch signal {
        case .source(.next(let element)): elements.append(element)
        case .tick: send()
        case .source(.completed):
            send()
            if !subscriptions.isDisposed { downstream.completed() }
        case .source(.error(let error)), .failed(let error): downstream.error(error)
        }
    }

    private func send() { downstream.next(exchange(&elements, with: [])) }
}
