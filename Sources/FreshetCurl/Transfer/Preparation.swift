import FreshetCore
import FreshetHTTP

/// The preparation of a request by its receiver. The result can come within the call that asks for it, or later on any
/// thread.
final class Preparation: Sendable {
    private enum State {
        case asking
        case resolved(Result<Request, any Error>)
        case waiting
    }

    private let state = Locked(State.asking)
    let subscription = SingleAssignmentDisposable()

    /// Keeps a result for ``immediateResult()``, unless that was called before.
    ///
    /// - Returns: whether the result is kept. Otherwise the caller has to deliver it.
    func keep(_ result: Result<Request, any Error>) -> Bool {
        state.withLock { state in
            if case .waiting = state { return false }
            state = .resolved(result)
            return true
        }
    }

    /// The result, if it has come. Otherwise, ``keep(_:)`` refuses it.
    func immediateResult() -> Result<Request, any Error>? {
        state.withLock { state in
            if case .resolved(let result) = state { return result }
            state = .waiting
            return nil
        }
    }
}
