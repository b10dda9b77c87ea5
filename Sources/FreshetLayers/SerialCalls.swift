import FreshetCore

/// Runs calls one after another without a lock. A call during another one, on the same thread or not, returns at once, and its
/// work runs after the other one. So a chain of calls does not deepen the stack.
struct SerialCalls: Sendable {
    /// The call that runs, and those that wait.
    private let count = Locked(0)

    /// - Parameter work: the same for all calls, because the running one repeats its own.
    func run(_ work: () -> Void) {
        let isFirst = count.withLock { count in
            count += 1
            return count == 1
        }
        guard isFirst else { return }
        repeat {
            work()
        } while count.withLock { count in
            count -= 1
            return count > 0
        }
    }
}
