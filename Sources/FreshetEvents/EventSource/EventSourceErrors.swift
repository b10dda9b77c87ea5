import FreshetHTTP

extension EventSource {
    static var shuttingDown: HTTPClientError {
        HTTPClientError(
            .cancelled, phase: .queued, message: "the client is shutting down",
            recoverySuggestion: "follow the stream with another client",
            isUnsent: true)
    }

    static var invalidLastEventID: HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, message: "the last event ID contains CR, LF or NUL",
            recoverySuggestion: "use the ID of an event", isUnsent: true)
    }

    /// The error of a response that ended without the event that marks its end.
    var cutShort: HTTPClientError {
        let types = settings.lastTypes.sorted().map { "an event of type \($0)" }
        let awaited = (settings.terminator.map { [$0] } ?? []) + types
        let last =
            awaited.isEmpty ? "its last event, which the settings do not name" : awaited.joined(separator: " or ")
        return HTTPClientError(
            .connectionLost, phase: .receiving,
            message: "the response ended without \(last), so that it is not complete",
            recoverySuggestion: "ask again, or set requiresTerminator to false if the server does not send that")
    }

    /// The error of an open stream on which nothing has come for `timeout`.
    func silence(for timeout: Duration) -> HTTPClientError {
        HTTPClientError(
            .timeout, phase: .receiving, origin: request.url.origin.description,
            message: "nothing came on the event stream for \(timeout), not even a comment",
            recoverySuggestion: .allowMoreTime)
    }

    /// The error of a connection whose response has not begun. Before the first attempt it is that of `HTTPClient.send(_:)`,
    /// because the server is not to blame for what an interceptor waits for.
    func noResponse(within timeout: Duration, hasAttempt: Bool) -> HTTPClientError {
        HTTPClientError(
            .timeout, phase: hasAttempt ? .waiting : .refreshing, origin: request.url.origin.description,
            message: hasAttempt
                ? "no response began within \(timeout)"
                : "the request took longer than its \(timeout), and waited for an interceptor, such as one that gets a credential",
            recoverySuggestion: hasAttempt ? .allowMoreTime : .logInOrAllowMoreTime, isUnsent: !hasAttempt)
    }

    /// Returns the error with the request, and with the attempt and the address that it is about, unless it has them.
    func located(_ error: any Error, at location: AttemptLocation = AttemptLocation()) -> any Error {
        (error as? HTTPClientError)?.naming(request, at: location) ?? error
    }
}
