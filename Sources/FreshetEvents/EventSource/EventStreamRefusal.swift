import FreshetHTTP
import HTTPTypes

/// An answer that is no event stream, whose body says why: it is read, as far as that is reasonable, before the stream fails.
struct EventStreamRefusal {
    private static let limit = 64 * 1024

    let head: HTTPResponse
    private var error: HTTPClientError
    private var count = 0

    /// `nil` if nothing is to be expected of the body: of the wrong type under status 200, it may be anything. JSON may say
    /// what was wrong with the question.
    init?(_ head: HTTPResponse, _ verdict: EventStreamHead) {
        guard case .none(let error) = verdict else { return nil }
        let subtype = head.headerFields[.contentType].flatMap(MediaType.init)?.subtype
        guard head.status != .ok || subtype?.hasSuffix("json") == true else { return nil }
        self.head = head
        self.error = error
    }

    /// - Returns: whether that was all that is kept.
    mutating func append(_ bytes: [UInt8]) -> Bool {
        let length = min(bytes.count, Self.limit - count)
        error.response?.body += bytes[..<length]
        count += length
        return count == Self.limit
    }

    var input: EventSourceStateMachine.Input { .answered(head, .none(error)) }
}
