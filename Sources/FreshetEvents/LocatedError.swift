import FreshetHTTP

extension Error {
    /// The same error; a client's that does not say whom it is about says it.
    func located(at origin: String) -> any Error {
        guard var error = self as? HTTPClientError, error.origin.isEmpty else { return self }
        error.origin = origin
        return error
    }
}
