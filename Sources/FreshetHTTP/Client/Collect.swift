public import FreshetCore
import HTTPTypes

extension ObservableType where Element == RequestEvent {
    /// Emits the response with its whole body. If the body has more than `limit` bytes, the stream fails with `tooLarge`, and
    /// the transfer ends.
    public func collected(limit: Int, origin: Origin) -> Single<Response> {
        asObservable().gathered {
            ResponseCollector(limit: limit, origin: origin)
        } take: { collector, event in
            try collector.receive(event)
        } end: { collector in
            try collector.finish()
        }
    }
}

/// Builds a response from the events of its request.
///
/// It does what ``FreshetCore/ObservableType/collected(limit:origin:)`` does, for callers that use the events for other things
/// too.
public struct ResponseCollector: Sendable {
    private let limit: Int
    private let origin: Origin
    private var response: Response?
    /// The length of the body that the head announces; 0 if it announces none.
    private var expected = 0
    private var isForHead = false
    private var location = AttemptLocation()

    /// - Parameters:
    ///   - limit: the largest body, in bytes.
    ///   - origin: the origin that errors name.
    public init(limit: Int, origin: Origin) {
        self.limit = limit
        self.origin = origin
    }

    /// Adds the next event.
    ///
    /// - Throws: ``HTTPClientError`` with code `tooLarge`, as soon as the body is known to exceed the limit. The caller then
    ///   has to end the request.
    public mutating func receive(_ event: RequestEvent) throws {
        location.record(event)
        switch event {
        case .attempt(_, let request): begin(request)
        case .head(let head, let url): try receive(head, from: url, status: head.status.code)
        case .body(let bytes): try receive(bytes)
        default: break
        }
    }

    /// Records that `request` goes out.
    mutating func begin(_ request: Request) {
        // The response to a HEAD announces the length of a body that is not sent.
        isForHead = request.method == .head
    }

    mutating func receive(_ head: consuming HTTPResponse, from url: consuming RequestURL, status: Int) throws {
        let length = isForHead ? nil : head.headerFields.contentLength
        response = Response(head: consume head, url: consume url)
        response?.location = location
        guard let length else { return }
        guard length <= limit || status == HTTPResponse.Status.notModified.code else { throw tooLarge }
        expected = length
    }

    mutating func receive(_ bytes: consuming [UInt8]) throws {
        guard let size = response?.body.count else { throw HTTPClientError.missingHead(from: origin) }
        guard size + bytes.count <= limit else { throw tooLarge }
        if size == 0, bytes.count >= expected {
            // This is most likely the whole body.
            response?.body = consume bytes
        } else {
            // A head can announce any length, so at most 1 MiB is reserved for it.
            if size == 0 { response?.body.reserveCapacity(min(expected, 1 << 20)) }
            response?.body += bytes
        }
    }

    /// Returns the response when the stream has completed.
    ///
    /// - Throws: ``HTTPClientError`` with code `connectionLost` if no response has begun.
    public func finish() throws -> Response {
        var copy = self
        return try copy.end()
    }

    /// Returns the response as ``finish()`` does, and keeps nothing of it.
    mutating func end() throws -> Response {
        if let response = response.take() { return response }
        throw HTTPClientError.noResponse(from: origin)
    }

    private var tooLarge: HTTPClientError {
        HTTPClientError(
            .tooLarge, phase: .receiving, origin: (response?.url.origin ?? origin).description,
            message: "the body has more than \(limit) bytes", recoverySuggestion: .raiseBodyLimit,
            response: response.map { Response(head: $0.head, url: $0.url) })
    }
}
