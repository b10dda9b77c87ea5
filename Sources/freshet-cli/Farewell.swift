import Foundation

/// What is still to be done when the outcome has been told, for it may take a while.
final class Farewell: @unchecked Sendable {
    static let shared = Farewell()

    private let lock = NSLock()
    private var work: [() -> Void] = []

    func add(_ work: @escaping () -> Void) {
        lock.withLock { self.work.append(work) }
    }

    func say() {
        let work = lock.withLock { self.work }
        for work in work { work() }
    }
}
