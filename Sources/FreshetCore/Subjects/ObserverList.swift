/// The members of a ``Multicaster``, in the order in which they came. Telling all of them something costs no count. Nobody comes
/// or goes while they are told.
@usableFromInline
struct ObserverList: ~Copyable {
    /// Most have one.
    @usableFromInline var first: AnyObject?
    // By hand, for an array is held while one goes through it.
    @usableFromInline var others: UnsafeMutablePointer<AnyObject>?
    @usableFromInline var otherCount = 0
    private var capacity = 0
    /// Nobody comes any more.
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

    /// Takes all of them out, for good.
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
