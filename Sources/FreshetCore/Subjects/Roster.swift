/// The members of a ``Hub``, in the order in which they came. Each is retained once, by hand, when it comes, so that
/// telling all of them something costs no count. Nobody comes or goes while they are told.
@usableFromInline
struct Roster: ~Copyable {
    /// Most have one.
    @usableFromInline var first: Unmanaged<AnyObject>?
    @usableFromInline var others: UnsafeMutablePointer<Unmanaged<AnyObject>>?
    @usableFromInline var otherCount = 0
    private var capacity = 0

    @inlinable
    init() {}

    @inlinable
    deinit {
        first?.release()
        for index in 0..<otherCount { others?[index].release() }
        others?.deallocate()
    }

    mutating func append(_ member: AnyObject) {
        let member = Unmanaged.passRetained(member)
        if first == nil {
            first = member
            return
        }
        if otherCount == capacity { grow() }
        others.unsafelyUnwrapped.advanced(by: otherCount).initialize(to: member)
        otherCount += 1
    }

    mutating func remove(_ member: AnyObject) {
        let leaving = Unmanaged.passUnretained(member).toOpaque()
        if first?.toOpaque() == leaving {
            first = otherCount == 0 ? nil : pull(0)
        } else if let index = (0..<otherCount).first(where: { others?[$0].toOpaque() == leaving }) {
            _ = pull(index)
        } else {
            return
        }
        Unmanaged<AnyObject>.fromOpaque(leaving).release()
    }

    /// Takes all of them out.
    mutating func removeAll() -> [AnyObject] {
        guard let first else { return [] }
        var all = [first.takeRetainedValue()]
        for index in 0..<otherCount { if let other = others?[index] { all.append(other.takeRetainedValue()) } }
        self.first = nil
        otherCount = 0
        return all
    }

    private mutating func pull(_ index: Int) -> Unmanaged<AnyObject> {
        let others = others.unsafelyUnwrapped
        let pulled = others[index]
        for next in index + 1..<otherCount { others[next - 1] = others[next] }
        otherCount -= 1
        return pulled
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Unmanaged<AnyObject>>.allocate(capacity: Swift.max(4, capacity * 2))
        if let others {
            larger.moveInitialize(from: others, count: otherCount)
            others.deallocate()
        }
        others = larger
        capacity = Swift.max(4, capacity * 2)
    }
}
