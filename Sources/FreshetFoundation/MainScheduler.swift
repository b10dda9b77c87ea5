import Dispatch
import Foundation
public import FreshetCore
import Synchronization

/// Runs work on the main thread: at once, if it is called there and nothing runs or waits, so that streams which are
/// already there are not delayed. Source: RxSwift's `MainScheduler`.
///
/// It is for `observe(on:)`; for `subscribe(on:)` there is ``ConcurrentMainScheduler``.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
    public static let instance = MainScheduler()
    /// The same, but never at once.
    public static let asyncInstance = SerialDispatchQueueScheduler(serialQueue: .main)

    private let enqueued = Atomic<Int>(0)

    public init() {
        super.init(serialQueue: .main, leeway: .nanoseconds(0))
    }

    /// Traps unless called by work of the main queue or on the main thread.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        precondition(
            isCurrent, errorMessage ?? "This has to run on the main queue; MainScheduler.instance brings work there")
    }

    /// Traps unless called on the main thread.
    public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
        precondition(Thread.isMainThread, errorMessage ?? "This has to be called on the main thread")
    }

    /// Work that is scheduled by work that runs at once waits for its turn.
    @preconcurrency
    public override func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let isFirst = enqueued.add(1, ordering: .acquiringAndReleasing).oldValue == 0
        if isFirst, Self.isCurrent {
            defer { exit() }
            return action(state)
        }
        let item = ScheduledItem(state: state, action: action)
        queue.async {
            item.invoke()
            self.exit()
        }
        return item
    }

    private func exit() {
        enqueued.subtract(1, ordering: .acquiringAndReleasing)
    }

    /// Whether this is the main thread, or the thread that works for the main queue when `dispatchMain` has ended that.
    static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mark) != nil }

    private static let mark: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()
}
