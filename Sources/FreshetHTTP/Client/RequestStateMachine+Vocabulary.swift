import HTTPTypes

extension RequestStateMachine {
    /// What happened.
    enum Input {
        case start
        /// The transfer's request is final and goes out.
        case sending(Request)
        /// The transfer's next part, if it is no head.
        case part(ResponsePart)
        /// The head of the response, of whose body retriers want to see so many bytes; 0 is nothing of the response.
        case head(HTTPResponse, peek: Int)
        /// The transfer has delivered the whole response, or failed.
        case ended((any Error)?)
        case decided(RetryResult)
        /// The delay before the next attempt is over.
        case waited
        case credentialChanged(CredentialChange)
        /// The subscriber holds the response, or lets it come.
        case pause, resume
        /// An adapter failed, or the client takes no requests.
        case fail(any Error)
        /// The deadline, an interceptor or the client ends it, wherever it is.
        case interrupt(any Error)
        /// The subscriber left.
        case dispose

        var isDisposal: Bool {
            if case .dispose = self { true } else { false }
        }
    }

    /// What to do.
    enum Action {
        /// Starts a transfer of the request.
        case send(Request)
        /// Has interceptors watch the attempt, whose request goes out like this.
        case watch(Request)
        /// Leaves the transfer in flight.
        case cancel
        /// Keeps the transfer from reading on, or lets it.
        case hold(Bool)
        case ask(Attempt)
        case wait(Duration)
        case emit(RequestEvent)
        // The last of a request is one of these.
        case finish
        case fail(any Error)
        /// Nobody is told anything any more.
        case leave

        /// Whether the request goes from one phase to another with it.
        var isStep: Bool {
            switch self {
            case .send, .ask, .emit(.phase), .emit(.sent), .emit(.redirect), .emit(.head): true
            default: false
            }
        }
    }

    /// What to do, in order. It is hardly ever more than one thing, for which no memory is taken.
    struct Actions: Sequence, IteratorProtocol {
        static let none = Actions()
        private var first: Action?
        private var others: ArraySlice<Action> = []

        static func one(_ action: Action) -> Actions { Actions(first: action) }
        static func two(_ first: Action, _ second: Action) -> Actions { Actions(first: first, others: [second]) }

        static func + (actions: Actions, others: Actions) -> Actions {
            var all = actions
            all.append(others)
            return all
        }

        mutating func append(_ actions: Actions) {
            if first == nil { self = actions } else { others += actions }
        }

        mutating func next() -> Action? { first.take() ?? others.popFirst() }
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
