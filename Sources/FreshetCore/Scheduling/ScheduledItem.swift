/// A piece of scheduled work: run at most once, cancelled by `dispose` while it has not begun, and afterwards the owner
/// of what the work returned.
package final class ScheduledItem<StateType>: Cancelable, @unchecked Sendable {
    private let action: Locked<(() -> any Disposable)?>
    private let result = SingleAssignmentDisposable()

    package init(state: StateType, action: @escaping (StateType) -> any Disposable) {
        self.action = Locked(SubscriptionContext.carried { action(state) })
        Resources.increment()
    }

    deinit { Resources.decrement() }

    package var isDisposed: Bool { result.isDisposed }

    package func invoke() {
        if let action = removeAction(), !result.isDisposed { result.setDisposable(action()) }
    }

    package func dispose() {
        _ = removeAction()
        result.dispose()
    }

    // The closure goes when the work begins or is cancelled, so that nobody's handle keeps alive what it captured.
    private func removeAction() -> (() -> any Disposable)? {
        action.withLock { action in
            defer { action = nil }
            return action
        }
    }
}
