import Freshet

/// What is still to be done when the outcome has been told, for it may take a while.
final class Farewell: Sendable {
    static let shared = Farewell()

    private let work = Locked<[@Sendable () -> Void]>([])

    func add(_ work: @escaping @Sendable () -> Void) {
        self.work.withLock { $0.append(work) }
    }

    func say() {
        for work in work.withLock({ $0 }) { work() }
    }
}
