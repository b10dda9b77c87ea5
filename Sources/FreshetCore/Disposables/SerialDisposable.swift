import Synchronization

/// A slot for one disposable at a time. Setting a new disposable disposes of the previous one. A disposable that is set
/// after `dispose` is disposed of at once, and one that is set after `pause` is paused.
/// Source: RxSwift's `SerialDisposable`.
public final class SerialDisposable: Cancelable, Pausable {
    private struct State {
        var current: (any Disposable)?
        var isPaused = false
    }

    private let state = Locked(State())
    /// Set under the lock.
    private let disposed = Atomic<Bool>(false)

    public init() {}

    public var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    public var disposable: any Disposable {
        get { state.withLock { $0.current } ?? Disposables.create() }
        set {
            // The disposable to dispose of: the previous one, or the new one if the slot is disposed of.
            var other: (any Disposable)? = newValue
            let isToBePaused = state.withLock { state in
                if isDisposed { return false }
                swap(&state.current, &other)
                return state.isPaused
            }
            other?.dispose()
            if isToBePaused { pauseLate(newValue) { state.withLock { $0.isPaused } } }
        }
    }

    /// Sets the disposable that `make` returns. If `make` sets another one before it returns, that one stays: scheduled
    /// work can run within the call that schedules it, and schedule again.
    func replace(_ make: () -> any Disposable) {
        let slot = SingleAssignmentDisposable()
        disposable = slot
        slot.setDisposable(make())
    }

    public func dispose() {
        let current = state.withLock { state in
            disposed.store(true, ordering: .releasing)
            return state.current.take()
        }
        current?.dispose()
    }

    public func pause() {
        let current = state.withLock { state in
            state.isPaused = true
            return state.current
        }
        (current as? any Pausable)?.pause()
    }

    public func resume() {
        let current = state.withLock { state in
            state.isPaused = false
            return state.current
        }
        (current as? any Pausable)?.resume()
    }
}
