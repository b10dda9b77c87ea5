extension ObservableType {
    /// Starts an array at each element of `openings`. It emits the array at the first element of the stream that
    /// `closingSelector` returns for that opening. Source: RxJS's `bufferToggle`.
    ///
    ///     source:                          -a-b-c-d-e-|
    ///     openings:                        --x---y-----
    ///     bufferToggle(openings, after 3): -----A---B-|  A = [b, c], B = [d, e]
    ///
    /// Arrays can overlap. The completion of the source emits the open arrays, in the order in which they were started.
    /// The completion of any other stream has no effect. An error of any stream ends the stream.
    @preconcurrency
    public func bufferToggle<Openings: ObservableConvertibleType, Closings: ObservableConvertibleType>(
        _ openings: Openings, closingSelector: @escaping @Sendable (Openings.Element) throws -> Closings
    ) -> Observable<[Element]> {
        let source = asObservable()
        let openings = openings.asObservable()
        return Producer(after: source) { sink in
            let coordinator = BufferToggle<Element, Openings.Element>(to: sink) { try closingSelector($0).asTick() }
            sink.begin(with: coordinator.subscriptions)
            coordinator.subscribe(to: source, openings)
        }
    }
}

private final class BufferToggle<Element, Opening>: ToggleCoordinator<Element, Opening, [Element]> {
    private var open: [(number: Int, elements: [Element])] = []

    override func received(_ element: Element) {
        for index in open.indices { open[index].elements.append(element) }
    }

    override func opened(_ number: Int) { open.append((number, [])) }

    override func closed(_ number: Int) {
        guard let index = open.firstIndex(where: { $0.number == number }) else { return }
        downstream.next(open.remove(at: index).elements)
    }

    override func ended() {
        for buffer in open where !subscriptions.isDisposed { downstream.next(buffer.elements) }
        if !subscriptions.isDisposed { downstream.completed() }
    }
}
