public import Dispatch
public import FreshetCore

/// Runs work on the main thread: at once, whenever it is called there. Source: RxSwift's `ConcurrentMainScheduler`.
///
/// It is for `subscribe(on:)`; for `observe(on:)` there is ``MainScheduler``, which keeps one piece of work out of another.
public final class ConcurrentMainScheduler: DispatchQueueScheduler {
    public static let instance = ConcurrentMainScheduler()

    public let queue = DispatchQueue.main.scheduling()
    public let leeway = DispatchTimeInterval.nanoseconds(0)

    private init() {}

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        MainScheduler.isCurrent ? action(state) : enqueue(state, action)
    }
}
