import Synchronization

/// Disposes of a disposable on a scheduler. If the scheduler has ended, disposes of it on the thread on which the
/// scheduler drops the work. Source: RxSwift's `ScheduledDisposable`.
public final class ScheduledDisposable: Cancelable, Pausable {
    public let scheduler: any ImmediateSchedulerType
    private let disposable: Locked<(any Disposable)?>
    private let isRequested = Atomic<Bool>(false)

    public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
        self.scheduler = scheduler
        self.disposable = Locked(disposable)
    }

    /// Whether the scheduler has disposed of the disposable.
    public var isDisposed: Bool { disposable.withLock { $0 == nil } }

    public func dispose() {
        if isRequested.exchange(true, ordering: .acquiringAndReleasing) { return }
        _ = scheduler.schedule(ScheduledEnd(of: self)) { end in
            end.target.end()
            return Disposables.create()
        }
    }

    fileprivate func end() {
        disposable.withLock { $0.take() }?.dispose()
    }

    public func pause() { (disposable.withLock { $0 } as? any Pausable)?.pause() }
    public func resume() { (disposable.withLock { $0 } as? any Pausable)?.resume() }
}

/// One scheduled disposal. A scheduler that has ended releases it without running it. The disposable would then stay alive
/// for ever.
private final class ScheduledEnd: Sendable {
    let target: ScheduledDisposable

    init(of target: ScheduledDisposable) {
        self.target = target
    }

    deinit { target.end() }
}
