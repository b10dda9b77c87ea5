import FreshetHTTP

extension Error {
    /// Returns the same error. A client error without an origin gets `origin`.
    func located(at origin: String) -> any Error {
        guard var error = self as? HTTPClientError, error.origin.isEmpty else { return self }
        error.origin = origin
        return error
    }

    /// Returns the same error. A client error without a request gets `request`, with the path of the response if there is one,
    /// because that can have come after redirects.
    func located(at request: Request) -> any Error {
        guard var error = self as? HTTPClientError, error.method == nil else { return self }
        (error.method, error.path) = (request.method, (error.response?.url ?? request.url).path)
        if error.origin.isEmpty { error.origin = request.url.origin.description }
        return error
    }
}
