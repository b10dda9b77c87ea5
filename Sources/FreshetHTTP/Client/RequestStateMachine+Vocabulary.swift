import HTTPTypes

extension RequestStateMachine {
    /// Something that happened to the request.
    enum Input {
        case start
        /// Whether an adapter needs time for the request.
        case adapting(Bool)
        /// The transfer's request is final and goes out.
        case sending(Request)
        /// The next part of the transfer, except a head.
        case part(ResponsePart)
        /// The head of the response. Retriers want to see `peek` bytes of the body; with 0 they want to see nothing of the
        /// response. It came from `peer`.
        case head(HTTPResponse, peek: Int, peer: String? = nil)
        /// The transfer has delivered the whole response, or failed.
        case ended((any Error)?)
        case decided(RetryResult)
        /// The delay before the next attempt is over.
        case waited
        case credentialChanged(CredentialChange)
        /// An adapter failed, or the client starts no more requests.
        case fail(any Error)
        /// The deadline, an interceptor or the client ends the request, in any state.
        case interrupt(any Error)
        /// The subscriber has disposed of the subscription.
        case dispose

        var isDisposal: Bool {
            if case .dispose = self { true } else { false }
        }
    }

    /// Something that the ``RequestCall`` has to do.
    enum Action {
        /// Starts a transfer of the request.
        case send(Request)
        /// Lets interceptors observe the attempt, which sends this request.
        case observe(Request)
        /// Cancels the transfer in flight.
        case cancel
        /// Pauses the transfer until the retriers have decided, or ends that pause.
        case hold(Bool)
        /// Asks the retriers. The attempt would make each action twice as large.
        indirect case ask(Attempt)
        /// Counts the time of the adapters, or again the time in the queue.
        case adapt(Bool)
        case wait(Duration)
        case emit(RequestEvent)
        // The last action of a request is one of these.
        case finish
        case fail(any Error)
        /// Ends the request without an event.
        case leave

        /// Whether the request enters another phase with this action.
        var isStep: Bool {
            switch self {
            case .send, .ask, .adapt, .emit(.phase), .emit(.sent), .emit(.redirect), .emit(.head): true
            default: false
            }
        }
    }

    /// The actions to perform, in order. There is rarely more than one, and a single action allocates no memory.
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
    /// The result for a request that must not be sent again: a retry becomes `doNotRetry`.
    var withoutRepetition: RetryResult {
        switch self {
        case .retry, .retryWithDelay, .doNotRetry: .doNotRetry
        case .doNotRetryWithError: self
        }
    }
}
