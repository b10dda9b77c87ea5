public import Synchronization

/// A value for one at a time, whom nobody waits for: who finds another at it does without. For what was made last, which can
/// be made anew.
///
/// It costs half of what a lock does, one exchange. Nothing is called out to meanwhile.
// Unchecked: the flag guards the value.
@usableFromInline
package final class Glance<Value>: @unchecked Sendable {
    @usableFromInline let isTaken = Atomic<Bool>(false)
    @exclusivity(unchecked) @usableFromInline var value: Value

    @inlinable
    package init(_ value: Value) {
        self.value = value
    }

    /// What `body` returns; `nil`, and no call of it, while another is at the value.
    @inlinable @inline(__always)
    package func take<Result>(_ body: (inout Value) -> Result?) -> Result? {
        if isTaken.exchange(true, ordering: .acquiring) { return nil }
        defer { isTaken.store(false, ordering: .releasing) }
        return body(&value)
    }
}
