import FreshetHTTP

extension EventSource.Settings {
    /// What an event is to the stream.
    enum Meaning {
        case event(isLast: Bool)
        /// A sign of life.
        case sign
        /// The end, and no event itself.
        case end
        case failure(any Error)
    }

    func meaning(of event: ServerSentEvent) -> Meaning {
        if let terminator, event.data == terminator { return .end }
        if let error = failure?(event) { return .failure(error) }
        if !ignoredTypes.isEmpty, ignoredTypes.contains(event.type) { return .sign }
        return .event(isLast: !lastTypes.isEmpty && lastTypes.contains(event.type))
    }
}

extension EventSourceCall {
    static var shuttingDown: HTTPClientError {
        HTTPClientError(
            .cancelled, phase: .queued, message: "the client is shutting down; follow the stream with another",
            isUnsent: true)
    }

    static var cutShort: HTTPClientError {
        HTTPClientError(
            .connectionLost, phase: .receiving,
            message: "the answer ended without its last event, so that it is not complete; ask again")
    }

    func located(_ error: any Error) -> any Error {
        error.located(at: source.request.url.origin.description)
    }
}
