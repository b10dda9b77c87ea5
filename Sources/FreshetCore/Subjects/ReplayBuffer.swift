/// The elements that a ``ReplaySubject`` replays: the last `capacity` elements, and with a window only those that are
/// younger than the window.
struct ReplayBuffer<Element> {
    /// The elements that the buffer drops. The caller releases them outside its lock.
    enum Dropped {
        case nothing
        case one(Element)
        case many([Element])
    }

    private let capacity: Int
    /// A ring buffer, unused with a window.
    private var ring: [Element] = []
    private var oldest = 0
    private var recent: RecentHistory<Element>?

    init(capacity: Int, window: RxTimeInterval? = nil) {
        self.capacity = capacity
        recent = window.map { RecentHistory(capacity: capacity, window: $0) }
    }

    /// - Parameter now: the current time, required with a window.
    func elements(at now: Instant?) -> [Element] {
        if let recent, let now { return recent.elements(at: now) }
        return oldest == 0 ? ring : Array(ring[oldest...] + ring[..<oldest])
    }

    mutating func append(_ element: Element, at now: Instant?) -> Dropped {
        if capacity == 0 { return .nothing }
        if let now, let dropped = recent?.append(element, at: now) { return .many(dropped) }
        if ring.count < capacity {
            ring.append(element)
            return .nothing
        }
        let replaced = ring[oldest]
        ring[oldest] = element
        oldest = oldest + 1 == capacity ? 0 : oldest + 1
        return .one(replaced)
    }
}

/// The last `capacity` elements that are younger than `window`.
private struct RecentHistory<Element> {
    private let capacity: Int
    private let window: RxTimeInterval
    private var kept = Fifo<(time: Instant, element: Element)>()

    init(capacity: Int, window: RxTimeInterval) {
        self.capacity = capacity
        self.window = window
    }

    func elements(at now: Instant) -> [Element] {
        kept.elements.drop { $0.time.duration(to: now) >= window }.map(\.element)
    }

    mutating func append(_ element: Element, at now: Instant) -> [Element] {
        var dropped: [Element] = []
        kept.append((now, element))
        while let first = kept.first, kept.count > capacity || first.time.duration(to: now) >= window {
            if let old = kept.popFirst() { dropped.append(old.element) }
        }
        return dropped
    }
}
