import Synchronization

/// Lets the first one through. A trait's element says everything; the completion behind it is not another result.
final class Once: Sendable {
    private let passed = Atomic<Bool>(false)

    func isFirst() -> Bool {
        !passed.exchange(true, ordering: .relaxed)
    }
}
