/// Disposes of a disposable when this object and all disposables that ``retain()`` returned have been disposed of.
/// Source: RxSwift's `RefCountDisposable`.
public final class RefCountDisposable: Cancelable {
    private struct State {
        var disposable: (any Disposable)?
        var count = 0
        var isEnding = false
    }

    private let state: Locked<State>

    public init(disposable: any Disposable) {
        state = Locked(State(disposable: disposable))
    }

    public var isDisposed: Bool { state.withLock { $0.disposable == nil } }

    /// Returns a disposable that keeps the underlying disposable: the underlying disposable is disposed of only after
    /// the returned one. If the underlying disposable has been disposed of already, the returned one does nothing.
    public func retain() -> any Disposable {
        let isAlive = state.withLock { state in
            if state.disposable == nil { return false }
            state.count += 1
            return true
        }
        return isAlive ? Disposables.create { self.end { $0.count -= 1 } } : Disposables.create()
    }

    public func dispose() {
        end { $0.isEnding = true }
    }

    private func end(_ change: (inout State) -> Void) {
        let disposable = state.withLock { state -> (any Disposable)? in
            change(&state)
            return state.isEnding && state.count == 0 ? state.disposable.take() : nil
        }
        disposable?.dispose()
    }
}
