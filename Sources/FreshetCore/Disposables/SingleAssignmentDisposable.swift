/// A place for one disposable that comes later; what comes after `dispose` is disposed of at once, and what comes after
/// `pause` is paused. Source: RxSwift's `SingleAssignmentDisposable`.
public final class SingleAssignmentDisposable: Cancelable, Pausable {
    private struct State {
        var current: (any Disposable)?
        var isAssigned = false
        var isDisposed = false
        var isPaused = false
    }

    private let state = Locked(State())

    public init() {}

    public var isDisposed: Bool { state.withLock { $0.isDisposed } }

    /// Takes the disposable. A second one is a programmer's error.
    public func setDisposable(_ disposable: any Disposable) {
        let (isDisposed, isPaused) = state.withLock { state in
            precondition(!state.isAssigned, "SingleAssignmentDisposable was assigned twice; use SerialDisposable")
            state.isAssigned = true
            if !state.isDisposed { state.current = disposable }
            return (state.isDisposed, state.isPaused)
        }
        if isDisposed {
            disposable.dispose()
        } else if isPaused {
            pauseLate(disposable) { state.withLock { $0.isPaused } }
        }
    }

    public func dispose() {
        let current = state.withLock { state in
            state.isDisposed = true
            defer { state.current = nil }
            return state.current
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
