/// The attempt that a response belongs to and the address that it came from, as the events of the request report them. Errors
/// name them.
public struct AttemptLocation: Sendable {
    /// The number of the attempt, from 1; `nil` before the first.
    public private(set) var attempt: Int?
    /// The address of the server or of the proxy; `nil` if there was no connection, as for a response from a cache.
    public private(set) var peer: String?

    public init(attempt: Int? = nil, peer: String? = nil) {
        (self.attempt, self.peer) = (attempt, peer)
    }

    /// Receives the next event of the request.
    public mutating func record(_ event: RequestEvent) {
        switch event {
        case .attempt(let number, _): (attempt, peer) = (number, nil)
        case .redirect: peer = nil
        case .phase(.connected(let address, _)): peer = address
        default: break
        }
    }
}

extension HTTPClientError {
    /// Returns the error with the request, the attempt and the address that it is about, unless it has them.
    public func naming(_ request: Request, at location: AttemptLocation) -> HTTPClientError {
        guard method == nil else { return self }
        var error = self
        (error.attempt, error.peer) = (attempt ?? location.attempt, peer ?? location.peer)
        return error.naming(request)
    }

    /// Tells the response what the error names, because the errors of its `decoded()` name it too.
    mutating func nameInResponse() {
        guard response?.method == nil else { return }
        response?.method = method
        response?.location = AttemptLocation(attempt: attempt, peer: peer)
    }

    /// Returns the error with `response`, and with the request, the attempt and the address that it came from.
    func about(_ response: Response) -> HTTPClientError {
        var error = self
        error.response = response
        (error.method, error.path) = (response.method, response.url.path)
        (error.attempt, error.peer) = (response.location.attempt, response.location.peer)
        return error
    }
}
