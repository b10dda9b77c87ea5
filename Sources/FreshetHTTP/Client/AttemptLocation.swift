/// The attempt that a response belongs to and the address that it came from, as the events of the request report them. Errors
/// name them.
struct AttemptLocation: Sendable {
    private(set) var attempt: Int?
    /// `nil` if there was no connection, as for a response from a cache.
    private(set) var peer: String?

    mutating func record(_ event: RequestEvent) {
        switch event {
        case .attempt(let number, _): (attempt, peer) = (number, nil)
        case .redirect: peer = nil
        case .phase(.connected(let address, _)): peer = address
        default: break
        }
    }
}

extension HTTPClientError {
    /// Returns the error with the attempt and the address.
    func located(at location: AttemptLocation) -> HTTPClientError {
        var error = self
        (error.attempt, error.peer) = (location.attempt, location.peer)
        return error
    }

    /// Returns the error with `response`, and with the request, the attempt and the address that it came from.
    func about(_ response: Response) -> HTTPClientError {
        var error = located(at: response.location)
        error.response = response
        (error.method, error.path) = (response.method, response.url.path)
        return error
    }
}
