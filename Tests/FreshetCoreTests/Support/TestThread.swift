import Foundation
import FreshetCore

/// A scheduler with a thread of its own, which ends with ``finish()``.
final class TestThread: ImmediateSchedulerType, @unchecked Sendable {
    private let condition = NSCondition()
    private let over = DispatchSemaphore(value: 0)
    // The condition guards these.
    private var work: [() -> Void] = []
    private var isFinishing = false

    init() {
        Thread.detachNewThread { [self] in
            while let next = next() { next() }
            over.signal()
        }
    }

    private func next() -> (() -> Void)? {
        condition.withLock {
            while work.isEmpty, !isFinishing { condition.wait() }
            return work.isEmpty ? nil : work.removeFirst()
        }
    }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state: state, action: action)
        condition.withLock {
            work.append { item.invoke() }
            condition.signal()
        }
        return item
    }

    /// Waits until all work has run, including the work that it schedules, and until the thread has ended.
    func finish() {
        condition.withLock {
            isFinishing = true
            condition.signal()
        }
        over.wait()
    }
}
