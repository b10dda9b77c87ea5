/// A scheduled work item. It runs at most once. `dispose` cancels it while it has not begun, and afterwards disposes of
/// the disposable that the action returned.
package final class ScheduledItem<StateType>: Cancelable {
    private let action: Locked<(() -> any Disposable)?>
    private let result = SingleAssignmentDisposable()

    package init(state: StateType, action: @escaping (StateType) -> any Disposable) {
        self.action = Locked(SubscriptionContext.inCurrentContext { action(state) })
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

    // The item releases the closure when the work begins or is canceled, so that a handle does not keep the captures alive.
    private func removeAction() -> (() -> any Disposable)? {
        action.withLock { action in
            defer { action = nil }
            return action
        }
    }
}
