public import Dispatch
public import FreshetCore

/// Runs work on the main thread. Work that is scheduled on the main thread runs at once. Source: RxSwift's
/// `ConcurrentMainScheduler`.
///
/// Use it with `subscribe(on:)`. For `observe(on:)` use ``MainScheduler``, which never runs one piece of work inside another.
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
