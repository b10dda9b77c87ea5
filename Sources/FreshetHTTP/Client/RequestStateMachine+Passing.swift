import HTTPTypes

// The common way of a request, without a list of actions: one attempt, whose answer is delivered as it comes.
extension RequestStateMachine {
    mutating func start() -> Request {
        state = .queued(isAdapted: false)
        return original
    }

    mutating func adapted(_ request: Request) {
        guard case .queued = state else { return }
        outgoing = request
        state = .queued(isAdapted: true)
    }

    /// Whether nothing has been heard yet of the transfer. Asked before all else, for it copies nothing.
    var isQueued: Bool {
        if case .queued = state { true } else { false }
    }

    /// Begins the attempt, if this is the first that is heard of its transfer.
    mutating func beginAttempt() -> RequestEvent? {
        guard case .queued(isAdapted: true) = state else { return nil }
        return begin()
    }

    /// Whether a part that is no head goes on to the subscriber as it is.
    var passesParts: Bool {
        switch state {
        case .sent, .delivering: true
        default: false
        }
    }

    var isDelivering: Bool {
        if case .delivering = state { true } else { false }
    }

    /// The address of an answer that is delivered as it comes: no redirect, and nothing that a retrier wants to see.
    mutating func deliver(_ head: HTTPResponse, _ status: Int) -> RequestURL? {
        guard case .sent = state, !RedirectPolicy.concerns(status),
            status < peeking.from || peeking.limit(head, status, onWire) == 0
        else { return nil }
        state = .delivering
        return onWire.url
    }

    /// Whether the end of a transfer is the end of an answer that was delivered.
    mutating func endDelivery() -> Bool {
        guard case .delivering = state else { return false }
        state = .finished
        return true
    }
}
