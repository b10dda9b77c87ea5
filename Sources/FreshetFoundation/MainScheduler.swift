import Dispatch
import Foundation
public import FreshetCore
import Synchronization

/// Runs work on the main thread: at once, if it is called there and nothing waits, so that streams which are already
/// there are not delayed. Source: RxSwift's `MainScheduler`.
public final class MainScheduler: SchedulerType {
    public static let instance = MainScheduler()
    /// The same, but never at once.
    public static let asyncInstance = SerialDispatchQueueScheduler(serialQueue: .main)

    private let timer = DispatchTimer(queue: .main)
    private let waiting = Atomic<Int>(0)

    private init() {}

    public var now: Instant { DispatchTimer.now }

    /// Traps unless called on the main thread.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        precondition(Thread.isMainThread, errorMessage ?? "This has to be called on the main thread")
    }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if Thread.isMainThread, waiting.load(ordering: .acquiring) == 0 { return action(state) }
        let item = ScheduledItem(state: state, action: action)
        waiting.add(1, ordering: .acquiringAndReleasing)
        DispatchQueue.main.async {
            item.invoke()
            self.waiting.subtract(1, ordering: .acquiringAndReleasing)
        }
        return item
    }

    @preconcurrency
    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        timer.schedule(state, dueTime: dueTime, action: action)
    }

    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        timer.schedule(state, startAfter: startAfter, period: period, action: action)
    }
}
