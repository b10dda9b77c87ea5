import FreshetHTTP
import HTTPTypes

/// A response that is not an event stream. The beginning of its body is read before the stream fails, because it can contain the
/// reason.
struct EventStreamRefusal {
    private static let limit = 64 * 1024

    let head: HTTPResponse
    private var error: HTTPClientError
    private var count = 0
    private let client: HTTPClient

    /// `nil` if the body is not expected to contain a reason: with status 200 and another type it can be anything. JSON can
    /// contain the problem of the request.
    init?(_ head: HTTPResponse, _ verdict: EventStreamHead, client: HTTPClient) {
        guard case .none(let error as HTTPClientError) = verdict else { return nil }
        let subtype = head.headerFields[.contentType].flatMap(MediaType.init)?.subtype
        guard head.status != .ok || subtype?.hasSuffix("json") == true else { return nil }
        self.head = head
        self.error = error
        self.client = client
    }

    /// - Returns: whether the limit is reached.
    mutating func append(_ bytes: [UInt8]) -> Bool {
        let length = min(bytes.count, Self.limit - count)
        error.response?.body += bytes[..<length]
        count += length
        return count == Self.limit
    }

    /// The end of the stream. If the body is the client's `failure`, that is the underlying error.
    ///
    /// - Parameter request: the request of the connection.
    func input(of request: Request) -> EventSourceStateMachine.Input {
        var error = error
        if let type = client.configuration.failure {
            error.underlying = try? error.response?.decoded(type, using: client.configuration.decoder)
        }
        return .headReceived(head, .none(error.located(at: request)))
    }
}
