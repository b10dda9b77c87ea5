/// The observers of a ``Multicaster`` in the order in which they joined. Iteration does not retain the observers. The
/// list does not change during an iteration.
///
/// A removed observer leaves a gap. The gaps are closed when they are more than the observers, so that a removal takes
/// constant time on average.
@usableFromInline
struct ObserverList: ~Copyable {
    /// The first observer. Most multicasters have only one.
    @usableFromInline var first: ListedObserver?
    // Allocated by hand, because an array is retained while a loop iterates over it.
    @usableFromInline var others: UnsafeMutablePointer<ListedObserver?>?
    /// The number of others and gaps.
    @usableFromInline var otherCount = 0
    private var gapCount = 0
    private var capacity = 0
    /// Whether the list accepts no more observers.
    private(set) var isOver = false

    @inlinable
    init() {}

    @inlinable
    deinit {
        others?.deinitialize(count: otherCount).deallocate()
    }

    mutating func append(_ member: ListedObserver) {
        // Without the first observer, the new one still comes after the others.
        if first == nil, otherCount == 0 {
            first = member
            return
        }
        if otherCount == capacity { grow() }
        member.index = otherCount
        others.unsafelyUnwrapped.advanced(by: otherCount).initialize(to: member)
        otherCount += 1
    }

    mutating func remove(_ member: ListedObserver) {
        if first === member {
            first = nil
        } else if member.index < otherCount, let others, others[member.index] === member {
            others[member.index] = nil
            gapCount += 1
            if gapCount > otherCount / 2 { closeGaps(in: others) }
        }
    }

    /// Removes and returns all observers. The list accepts no more observers afterwards.
    mutating func removeAll() -> [ListedObserver] {
        isOver = true
        let all = [first.take()] + UnsafeBufferPointer(start: others, count: otherCount)
        others?.deinitialize(count: otherCount)
        (otherCount, gapCount) = (0, 0)
        return all.compactMap { $0 }
    }

    private mutating func closeGaps(in others: UnsafeMutablePointer<ListedObserver?>) {
        var count = 0
        for index in 0..<otherCount {
            guard let member = others[index] else { continue }
            others[index] = nil
            others[count] = member
            member.index = count
            count += 1
        }
        (otherCount, gapCount) = (count, 0)
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<ListedObserver?>.allocate(capacity: Swift.max(4, capacity * 2))
        if let others {
            larger.moveInitialize(from: others, count: otherCount)
            others.deallocate()
        }
        others = larger
        capacity = Swift.max(4, capacity * 2)
    }
}

/// An observer that can be in an ``ObserverList``.
@usableFromInline
class ListedObserver {
    /// The observer's index among the others of its list, for a removal without a search. Only the list uses it.
    @usableFromInline final var index = 0

    @inlinable
    init() {}
}
