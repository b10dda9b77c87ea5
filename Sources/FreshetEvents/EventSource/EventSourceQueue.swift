/// A first-in, first-out queue. It reuses its memory, and keeps no more removed elements than elements that wait.
struct EventSourceQueue<Element> {
    private var elements: [Element] = []
    private var next = 0

    var isEmpty: Bool { next == elements.count }
    var count: Int { elements.count - next }
    var first: Element? { isEmpty ? nil : elements[next] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard let first else { return nil }
        next += 1
        if isEmpty {
            elements.removeAll(keepingCapacity: elements.capacity <= 16)
            next = 0
        } else if next >= count {
            elements.removeFirst(next)
            next = 0
        }
        return first
    }

    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        elements = elements[next...].filter { !isUnwanted($0) }
        next = 0
    }
}
