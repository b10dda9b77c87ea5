import HTTPTypes

// Adds the machine's knowledge about the request to errors.
extension RequestStateMachine {
    /// Returns the error with the origin and the phase of the request.
    func located(_ error: any Error) -> any Error {
        guard var error = error as? HTTPClientError else { return error }
        error.origin = address.origin.description
        error.phase = phase
        if history.isConnecting { error.isUnsent = true }
        guard error.code == .timeout else { return error }
        switch (phase, state) {
        case (.refreshing, _):
            error.message += ", and waited for an interceptor, such as one that gets a credential"
            error.recoverySuggestion = .logInOrAllowMoreTime
        case (.queued, .queued):
            error.message += ", and waited for a connection or for a layer that limits requests"
            error.recoverySuggestion = .sendFewerAtOnce
        case (_, .waiting(let outcome)): error.add(outcome)
        default: break
        }
        return error
    }

    /// Returns the error with the request that it is about, unless it has one already, and with what is known about all of its
    /// attempts.
    func named(_ error: any Error, peer: String?) -> any Error {
        guard var error = error as? HTTPClientError else { return error }
        error.isUnsent = history.isUnsent(error, isStored: cacheStatus != nil && cacheStatus != .miss)
        // A later attempt that was not sent yet has not been counted.
        let isBetweenAttempts = error.phase == .queued && outgoing == nil && !isHop
        let attempt = attempts > 0 ? attempts + (isBetweenAttempts ? 1 : 0) : nil
        return error.naming(onWire, at: AttemptLocation(attempt: attempt, peer: peer))
    }

    /// The current attempt, whose response comes from `peer`.
    func location(at peer: String?) -> AttemptLocation {
        AttemptLocation(attempt: attempts > 0 ? attempts : nil, peer: peer)
    }

    /// Returns the error with the response that was peeked at before it. That response can be all that a retrier or the caller
    /// needs.
    func addingResponse(to error: any Error) -> any Error {
        guard let peeked, var error = error as? HTTPClientError, error.response == nil else { return error }
        error.response = peeked.response
        return error
    }

    var noResponse: HTTPClientError { .noResponse(from: onWire.url.origin) }
    var missingHead: HTTPClientError { .missingHead(from: onWire.url.origin) }
}

extension HTTPClientError {
    static func noResponse(from origin: Origin) -> HTTPClientError {
        HTTPClientError(
            .connectionLost, phase: .waiting, origin: origin.description,
            message: "the connection ended before a response began", recoverySuggestion: .tryAgain)
    }

    /// A transport or a layer breaks the rules of ``TransferReceiver``. A retry could deliver the body twice.
    static func missingHead(from origin: Origin) -> HTTPClientError {
        HTTPClientError(
            .protocol, phase: .waiting, origin: origin.description,
            message: "the transport delivered a body without the head of a response",
            recoverySuggestion: "report this as a defect of the transport, or of a layer")
    }

    /// Adds what a request was to be sent again after.
    fileprivate mutating func add(_ outcome: Attempt.Outcome) {
        switch outcome {
        case .response(let response):
            message += ", and waited to be sent again after the response \(response.status.code)"
            self.response = response
        case .failure(let error):
            message += ", and waited to be sent again after \((error as? HTTPClientError)?.code.rawValue ?? "an error")"
            underlying = error
        }
    }
}
