/// Runs work at once, on the calling thread, within the call. Source: RxSwift's `ImmediateScheduler`.
public final class ImmediateScheduler: ImmediateSchedulerType {
    public static let instance = ImmediateScheduler()

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        action(state)
    }
}
