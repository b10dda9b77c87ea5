import Foundation
import FreshetCore

/// A scheduler with a thread of its own, until it has finished.
final class TestThread: ImmediateSchedulerType, @unchecked Sendable {
    private let condition = NSCondition()
    private let over = DispatchSemaphore(value: 0)
    // Touched under the condition alone.
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

    /// Waits until everything has run, and what that scheduled, and the thread is over.
    func finish() {
        condition.withLock {
            isFinishing = true
            condition.signal()
        }
        over.wait()
    }
}
