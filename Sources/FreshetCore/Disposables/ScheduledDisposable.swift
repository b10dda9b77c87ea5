/// Disposes of a disposable on a scheduler. Source: RxSwift's `ScheduledDisposable`.
public final class ScheduledDisposable: Cancelable, Pausable {
    public let scheduler: any ImmediateSchedulerType
    private let disposable: Locked<(any Disposable)?>

    public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
        self.scheduler = scheduler
        self.disposable = Locked(disposable)
    }

    public var isDisposed: Bool { disposable.withLock { $0 == nil } }

    public func dispose() {
        let disposable = disposable.withLock { disposable in
            defer { disposable = nil }
            return disposable
        }
        guard let disposable else { return }
        _ = scheduler.schedule(disposable) { disposable in
            disposable.dispose()
            return Disposables.create()
        }
    }

    public func pause() { (disposable.withLock { $0 } as? any Pausable)?.pause() }
    public func resume() { (disposable.withLock { $0 } as? any Pausable)?.resume() }
}
