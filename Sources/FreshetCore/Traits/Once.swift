import Synchronization

/// Admits only the first call. The element of a trait is its whole result, and the completion after it is not a second result.
final class Once: Sendable {
    private let passed = Atomic<Bool>(false)

    func isFirst() -> Bool {
        !passed.exchange(true, ordering: .relaxed)
    }
}
