/// A place for one disposable at a time: a new one disposes of the one before; what comes after `dispose` is disposed of
/// at once, and what comes after `pause` is paused. Source: RxSwift's `SerialDisposable`.
public final class SerialDisposable: Cancelable, Pausable {
    private struct State {
        var current: (any Disposable)?
        var isDisposed = false
        var isPaused = false
    }

    private let state = Locked(State())

    public init() {}

    public var isDisposed: Bool { state.withLock { $0.isDisposed } }

    public var disposable: any Disposable {
        get { state.withLock { $0.current } ?? Disposables.create() }
        set {
            let (old, isDisposed, isPaused) = state.withLock { state in
                let old = state.current
                state.current = state.isDisposed ? nil : newValue
                return (old, state.isDisposed, state.isPaused)
            }
            old?.dispose()
            if isDisposed {
                newValue.dispose()
            } else if isPaused {
                pauseLate(newValue) { state.withLock { $0.isPaused } }
            }
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
