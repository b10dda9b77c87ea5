import HTTPTypes

// The errors of a request, with what is known of it.
extension RequestStateMachine {
    /// The same error, where the request is.
    func located(_ error: any Error) -> any Error {
        guard var error = error as? HTTPClientError else { return error }
        error.origin = address.origin.description
        error.phase = phase
        return error
    }

    /// The same error, with the response that had been seen when it came: that may be all that a retrier, or the caller,
    /// has to know.
    func knowingTheResponse(_ error: any Error) -> any Error {
        guard let peeked, var error = error as? HTTPClientError, error.response == nil else { return error }
        error.response = peeked.response
        return error
    }

    static func noResponse(_ request: Request) -> HTTPClientError {
        HTTPClientError(
            .connectionLost, phase: .waiting, origin: request.url.origin.description,
            message: "the connection ended before an answer began", recoverySuggestion: .tryAgain)
    }
}
