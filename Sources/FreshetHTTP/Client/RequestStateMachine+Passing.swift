import HTTPTypes

// The common way of a request, without a list of actions: one attempt, whose answer is delivered as it comes.
extension RequestStateMachine {
    mutating func start() -> Request {
        state = .queued(nil)
        return original
    }

    mutating func adapted(_ request: Request) {
        if case .queued = state { state = .queued(request) }
    }

    /// Whether nothing has been heard yet of the transfer. Asked before all else, for it copies nothing.
    var isQueued: Bool {
        if case .queued = state { true } else { false }
    }

    /// Begins the attempt, if this is the first that is heard of its transfer.
    mutating func beginAttempt() -> RequestEvent? {
        guard case .queued(let request?) = state else { return nil }
        return begin(request)
    }

    /// Whether a part that is no head goes on to the subscriber as it is.
    var passesParts: Bool {
        switch state {
        case .sent, .delivering: true
        default: false
        }
    }

    /// The address of an answer that is delivered as it comes: no redirect, and nothing that a retrier wants to see.
    mutating func deliver(_ head: HTTPResponse, _ status: Int) -> RequestURL? {
        guard case .sent(let request) = state, !RedirectPolicy.concerns(status),
            !hasRetriers || peekLimit(head, request) == 0
        else { return nil }
        state = .delivering
        return request.url
    }

    /// Whether the end of a transfer is the end of an answer that was delivered.
    mutating func endDelivery() -> Bool {
        guard case .delivering = state else { return false }
        state = .finished
        return true
    }
}
