import Freshet

extension ObservableType {
    func chunks(of count: Int) -> Observable<[Element]> {
        lift { ChunkSink(to: $0, count) }
    }
}

private final class ChunkSink<Element>: ClosingOperatorSink<Element, [Element]> {
    private let count: Int
    private var chunk: [Element] = []

    init(to downstream: Sink<[Element]>, _ count: Int) {
        self.count = count
        super.init(to: downstream)
    }

    override func next(_ element: Element) {
        chunk.append(element)
        guard chunk.count == count else { return }
        let full = chunk
        chunk = []
        downstream.next(full)
    }

    override func completed() {
        if chunk.isEmpty { downstream.completed() } else { finish(with: chunk) }
    }
}
