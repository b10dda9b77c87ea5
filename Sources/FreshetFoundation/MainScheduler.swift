import Dispatch
import Foundation
public import FreshetCore
import Synchronization

/// Runs work on the main thread. Work that is scheduled on the main thread runs at once if no other work runs or waits,
/// so that streams on the main thread are not delayed. Source: RxSwift's `MainScheduler`.
///
/// Use it with `observe(on:)`. For `subscribe(on:)` use ``ConcurrentMainScheduler``.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
    public static let instance = MainScheduler()
    /// A scheduler for the main thread that never runs work at once.
    public static let asyncInstance = SerialDispatchQueueScheduler(serialQueue: .main)

    private let enqueued = Atomic<Int>(0)

    public init() {
        super.init(serialQueue: .main, leeway: .nanoseconds(0))
    }

    /// Traps if the caller is neither work of the main queue nor on the main thread.
    public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
        precondition(
            isCurrent, errorMessage ?? "This has to run on the main queue; MainScheduler.instance brings work there")
    }

    /// Traps if the caller is not on the main thread. In a program with an async `main`, that is the thread that serves the
    /// main queue.
    public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
        precondition(isCurrent, errorMessage ?? "This has to be called on the main thread")
    }

    /// Runs `action`, at once if possible. Work that is scheduled by work that runs at once waits for its turn.
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

    /// Whether the caller is on the main thread, or on the thread that serves the main queue after `dispatchMain` has
    /// ended the main thread.
    static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mark) != nil }

    private static let mark: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()
}
