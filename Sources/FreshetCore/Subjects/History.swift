/// What a ``ReplaySubject`` keeps: the last `capacity` elements, and of those, with a window, the ones younger than that.
struct History<Element> {
    /// What is not kept any more, for who lets go of it outside a lock.
    struct Dropped {
        var last: Element?
        var others: [Element] = []
    }

    private let capacity: Int
    private let window: RxTimeInterval?
    private var kept = Fifo<Element>()
    /// When each came, with a window.
    private var times = Fifo<Instant>()

    init(capacity: Int, window: RxTimeInterval? = nil) {
        self.capacity = capacity
        self.window = window
    }

    /// - Parameter now: the time, with a window.
    func elements(at now: Instant?) -> [Element] {
        let elements = kept.elements
        guard let window, let now else { return elements }
        return Array(elements.dropFirst(times.elements.prefix { !$0.isWithin(window, at: now) }.count))
    }

    mutating func append(_ element: Element, at now: Instant?) -> Dropped {
        var dropped = Dropped()
        if capacity == 0 { return dropped }
        if let window, let now {
            while let time = times.first, !time.isWithin(window, at: now) {
                if let old = removeFirst() { dropped.others.append(old) }
            }
            times.append(now)
        }
        kept.append(element)
        if kept.count > capacity { dropped.last = removeFirst() }
        return dropped
    }

    private mutating func removeFirst() -> Element? {
        _ = times.popFirst()
        return kept.popFirst()
    }
}

extension Instant {
    fileprivate func isWithin(_ window: RxTimeInterval, at now: Instant) -> Bool {
        duration(to: now) < window
    }
}
