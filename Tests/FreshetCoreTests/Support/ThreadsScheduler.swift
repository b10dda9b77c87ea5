import Dispatch
import FreshetCore

/// A scheduler that runs each piece of work on any thread, many at once.
final class ThreadsScheduler: ImmediateSchedulerType {
    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let result = SingleAssignmentDisposable()
        DispatchQueue.global().async {
            if !result.isDisposed { result.setDisposable(action(state)) }
        }
        return result
    }
}
