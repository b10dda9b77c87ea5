import Freshet

/// Work that runs after the command has printed its outcome, since it can take a while.
final class ShutdownHooks: Sendable {
    static let shared = ShutdownHooks()

    private let work = Locked<[@Sendable () -> Void]>([])

    func add(_ work: @escaping @Sendable () -> Void) {
        self.work.withLock { $0.append(work) }
    }

    func run() {
        for work in work.withLock({ $0 }) { work() }
    }
}
