/// The observers of a ``Multicaster`` in the order in which they joined. Iteration does not retain the observers. The
/// list does not change during an iteration.
@usableFromInline
struct ObserverList: ~Copyable {
    /// The first observer. Most multicasters have only one.
    @usableFromInline var first: AnyObject?
    // Allocated by hand, because an array is retained while a loop iterates over it.
    @usableFromInline var others: UnsafeMutablePointer<AnyObject>?
    @usableFromInline var otherCount = 0
    private var capacity = 0
    /// Whether the list accepts no more observers.
    private(set) var isOver = false

    @inlinable
    init() {}

    @inlinable
    deinit {
        others?.deinitialize(count: otherCount).deallocate()
    }

    mutating func append(_ member: AnyObject) {
        if first == nil {
            first = member
            return
        }
        if otherCount == capacity { grow() }
        others.unsafelyUnwrapped.advanced(by: otherCount).initialize(to: member)
        otherCount += 1
    }

    mutating func remove(_ member: AnyObject) {
        if first === member {
            first = otherCount == 0 ? nil : pull(0)
        } else if let index = (0..<otherCount).first(where: { others.unsafelyUnwrapped[$0] === member }) {
            _ = pull(index)
        }
    }

    /// Removes and returns all observers. The list accepts no more observers afterwards.
    mutating func removeAll() -> [AnyObject] {
        isOver = true
        guard let first = first.take() else { return [] }
        let all = [first] + UnsafeBufferPointer(start: others, count: otherCount)
        others?.deinitialize(count: otherCount)
        otherCount = 0
        return all
    }

    private mutating func pull(_ index: Int) -> AnyObject {
        let place = others.unsafelyUnwrapped + index
        let pulled = place.move()
        otherCount -= 1
        place.moveInitialize(from: place + 1, count: otherCount - index)
        return pulled
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<AnyObject>.allocate(capacity: Swift.max(4, capacity * 2))
        if let others {
            larger.moveInitialize(from: others, count: otherCount)
            others.deallocate()
        }
        others = larger
        capacity = Swift.max(4, capacity * 2)
    }
}
