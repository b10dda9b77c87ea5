extension RequestStateMachine {
    /// What happened.
    enum Input {
        case start
        /// The adapters have made the request final; again, if it had to wait afterwards.
        case adapted(Request)
        /// The transport's next part.
        case part(ResponsePart)
        /// The transport has delivered the whole answer.
        case ended
        /// The transport, an adapter or the deadline ended it.
        case failed(any Error, isFinal: Bool)
        case decided(RetryResult)
        /// The delay before the next attempt is over.
        case waited
    }

    /// What to do.
    enum Action {
        /// Sends the request, adapted when its turn comes.
        case send(Request)
        /// Leaves the transfer in flight.
        case cancel
        /// Keeps the transport from reading on, or lets it.
        case hold(Bool)
        case ask(Attempt)
        case wait(Duration)
        case emit(RequestEvent)
        case finish
        case fail(any Error)
    }
}

extension Attempt.Outcome {
    /// Whether nothing of the request was put on the wire.
    var isUnsent: Bool {
        if case .failure(let error as HTTPClientError) = self { error.isUnsent } else { false }
    }
}

extension RetryResult {
    /// The same for a request that is not sent again.
    var withoutRepetition: RetryResult {
        switch self {
        case .retry, .retryWithDelay, .doNotRetry: .doNotRetry
        case .doNotRetryWithError: self
        }
    }
}
