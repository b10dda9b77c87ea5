import FreshetHTTP
import HTTPTypes

/// A response that is not an event stream. The beginning of its body is read before the stream fails, because it can contain the
/// reason.
struct EventStreamRefusal {
    private static let limit = 64 * 1024

    let head: HTTPResponse
    private var error: HTTPClientError
    private var count = 0

    /// `nil` if the body is not expected to contain a reason: with status 200 and another type it can be anything. JSON can
    /// contain the problem of the request.
    init?(_ head: HTTPResponse, _ verdict: EventStreamHead) {
        guard case .none(let error) = verdict else { return nil }
        let subtype = head.headerFields[.contentType].flatMap(MediaType.init)?.subtype
        guard head.status != .ok || subtype?.hasSuffix("json") == true else { return nil }
        self.head = head
        self.error = error
    }

    /// - Returns: whether the limit is reached.
    mutating func append(_ bytes: [UInt8]) -> Bool {
        let length = min(bytes.count, Self.limit - count)
        error.response?.body += bytes[..<length]
        count += length
        return count == Self.limit
    }

    var input: EventSourceStateMachine.Input { .answered(head, .none(error)) }
}
