import Synchronization

/// Disposes of a disposable on a scheduler. Source: RxSwift's `ScheduledDisposable`.
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
        _ = scheduler.schedule(self) { place in
            place.end()
            return Disposables.create()
        }
    }

    private func end() {
        let disposable = disposable.withLock { disposable in
            defer { disposable = nil }
            return disposable
        }
        disposable?.dispose()
    }

    public func pause() { (disposable.withLock { $0 } as? any Pausable)?.pause() }
    public func resume() { (disposable.withLock { $0 } as? any Pausable)?.resume() }
}
