import FreshetHTTP

extension Error {
    /// Returns the same error. A client error without an origin gets `origin`.
    func located(at origin: String) -> any Error {
        guard var error = self as? HTTPClientError, error.origin.isEmpty else { return self }
        error.origin = origin
        return error
    }
}
