import FreshetCore
import FreshetHTTP

/// A request that is being made final: the result may come within the call that asks for it, or later from anywhere.
final class Preparation: Sendable {
    private enum State {
        case asking
        case answered(Result<Request, any Error>)
        case waiting
    }

    private let state = Locked(State.asking)
    private let current = Locked<(any Disposable)?>(nil)

    var subscription: (any Disposable)? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// - Returns: whether somebody waits for the result already; else it is kept for ``take()``.
    func isLate(_ result: Result<Request, any Error>) -> Bool {
        state.withLock { state in
            if case .waiting = state { return true }
            state = .answered(result)
            return false
        }
    }

    /// The result, if it has come; otherwise it will be late.
    func take() -> Result<Request, any Error>? {
        state.withLock { state in
            if case .answered(let result) = state { return result }
            state = .waiting
            return nil
        }
    }
}
