import HTTPTypes

// The errors of a request, with what the machine knows of the request.
extension RequestStateMachine {
    /// Returns the error with the origin and the phase of the request.
    func located(_ error: any Error) -> any Error {
        guard var error = error as? HTTPClientError else { return error }
        error.origin = address.origin.description
        error.phase = phase
        return error
    }

    /// Returns the error with the response that had been peeked at before it. A retrier, or the caller, may need nothing but
    /// that response.
    func knowingTheResponse(_ error: any Error) -> any Error {
        guard let peeked, var error = error as? HTTPClientError, error.response == nil else { return error }
        error.response = peeked.response
        return error
    }

    static func noResponse(_ request: Request) -> HTTPClientError {
        HTTPClientError(
            .connectionLost, phase: .waiting, origin: request.url.origin.description,
            message: "the connection ended before a response began", recoverySuggestion: .tryAgain)
    }
}
