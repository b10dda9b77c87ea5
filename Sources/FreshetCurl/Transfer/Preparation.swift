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

extension CurlTransfer {
    /// Whether its adapters have sent it to another origin than the one that it has its turn for.
    var isMisplaced: Bool {
        guard let original else { return false }
        guard preparations > 1 || original.addressIdentity != request.addressIdentity else { return false }
        return request.url.origin != place?.origin
    }
}

extension CurlPool {
    /// Takes a transfer to the origin that its adapters have sent it to.
    ///
    /// - Returns: whether it may begin there at once. Otherwise it stands in the queue, and is adapted again at its turn.
    func move(_ transfer: CurlTransfer) -> Bool {
        let mayBegin = withQueue(of: transfer) { queue in
            queue.leave(transfer)
            let place = queue.place(for: transfer.request.url)
            transfer.place = place
            return queue.enter(transfer, at: place)
        }
        if mayBegin { return true }
        transfer.state = .queued
        limitWaiting(of: transfer)
        return false
    }
}
