/// A first-in, first-out queue. It reuses its memory whenever it is empty.
struct EventSourceQueue<Element> {
    private var elements: [Element] = []
    private var next = 0

    var isEmpty: Bool { next == elements.count }
    var count: Int { elements.count - next }
    var first: Element? { isEmpty ? nil : elements[next] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func removeFirst() {
        next += 1
        guard isEmpty else { return }
        elements.removeAll(keepingCapacity: elements.capacity <= 16)
        next = 0
    }
}
