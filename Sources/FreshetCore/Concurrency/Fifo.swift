/// A first-in, first-out queue with operations in constant time. It reuses its memory.
package struct Fifo<Element> {
    private var slots: [Element?] = []
    private var head = 0
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// The oldest element.
    var first: Element? { isEmpty ? nil : slots[head] }

    /// All elements, oldest first.
    var elements: [Element] {
        (0..<count).map { slots[(head + $0) & (slots.count - 1)].unsafelyUnwrapped }
    }

    package mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        // The capacity is a power of two.
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head]
        slots[head] = nil
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    private mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(Swift.max(4, slots.count * 2))
        larger.append(contentsOf: slots[head...])
        larger.append(contentsOf: slots[..<head])
        larger.append(contentsOf: repeatElement(nil, count: Swift.max(4, slots.count)))
        slots = larger
        head = 0
    }
}
