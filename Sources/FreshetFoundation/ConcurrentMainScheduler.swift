import Dispatch
public import FreshetCore

/// Runs work on the main thread: at once, whenever it is called there. Source: RxSwift's `ConcurrentMainScheduler`.
///
/// It is for `subscribe(on:)`; for `observe(on:)` there is ``MainScheduler``, which keeps one piece of work out of another.
public final class ConcurrentMainScheduler: DispatchQueueScheduler, @unchecked Sendable {
    public static let instance = ConcurrentMainScheduler()

    private init() {
        super.init(over: .main, leeway: .nanoseconds(0))
    }

    @preconcurrency
    public override func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        MainScheduler.isCurrent ? action(state) : super.schedule(state, action: action)
    }
}
