import FreshetCore

/// The facts for errors, as the events of a download's requests have reported them.
struct DownloadHistory {
    /// The current attempt.
    private var location = AttemptLocation()
    /// Whether one of the requests was sent, or may have been.
    private var wasSent = false

    mutating func record(_ event: Event<RequestEvent>) {
        switch event {
        case .next(let event):
            location.record(event)
            if case .head = event { wasSent = true }
        case .error(let error): if (error as? HTTPClientError)?.isUnsent != true { wasSent = true }
        case .completed: break
        }
    }

    /// Returns the error with the request, the attempt and the address that it is about, unless it has them.
    func named(_ error: any Error, _ request: Request) -> any Error {
        guard var error = (error as? HTTPClientError)?.naming(request, at: location) else { return error }
        if wasSent { error.isUnsent = false }
        return error
    }
}
