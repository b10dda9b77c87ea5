public import FreshetCore

/// A response that fails its request. The first 64 KiB of its body are read before the request fails, because they can contain
/// the reason.
public struct RefusedResponse: Sendable {
    private static let limit = 64 * 1024

    private var error: HTTPClientError
    private var count = 0
    private let coding: ClientCoding?

    /// - Parameters:
    ///   - error: the error with the head of the response.
    ///   - client: the client whose `failure` the body can be; `nil` if it is not known.
    public init(_ error: HTTPClientError, client: HTTPClient?) {
        self.init(error, coding: client?.coding)
    }

    init(_ error: HTTPClientError, coding: ClientCoding?) {
        (self.error, self.coding) = (error, coding)
    }

    /// Receives what follows the head.
    ///
    /// - Returns: whether the body has ended, or enough of it is read.
    public mutating func receive(_ event: Event<RequestEvent>) -> Bool {
        switch event {
        case .next(.body(let bytes)):
            let length = min(bytes.count, Self.limit - count)
            error.response?.body += bytes[..<length]
            count += length
            return count == Self.limit
        case .next: return false
        case .error, .completed: return true
        }
    }

    /// The error with the body, and with the decoded body as its underlying error if it is the client's `failure`.
    public var failure: HTTPClientError {
        var failure = error
        failure.response?.coding = coding
        return coding?.failure.map { failure.explained(by: $0, nil) } ?? failure
    }
}
