public import FreshetCore
import HTTPTypes

extension ObservableType where Element == RequestEvent {
    /// The answer with its whole body, if that has at most `limit` bytes; else the error `tooLarge`, and the transfer ends.
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

/// Puts an answer together from the events of its request: what ``FreshetCore/ObservableType/collected(limit:origin:)`` does,
/// for who has other things to do with the events too.
public struct ResponseCollector: Sendable {
    private let limit: Int
    private let origin: Origin
    private var response: Response?
    /// As long as the head says that the body is.
    private var expected = 0
    private var isForHead = false

    /// - Parameters:
    ///   - limit: how many bytes a body may have.
    ///   - origin: what errors name.
    public init(limit: Int, origin: Origin) {
        self.limit = limit
        self.origin = origin
    }

    /// Takes the next event.
    ///
    /// - Throws: ``HTTPClientError`` with code `tooLarge`, as soon as the body is known to exceed the limit. It is the
    ///   caller's then to end the request.
    public mutating func receive(_ event: RequestEvent) throws {
        switch event {
        case .attempt(_, let request): begin(request)
        case .head(let head, let url): try receive(head, from: url, status: head.status.code)
        case .body(let bytes): try receive(bytes)
        default: break
        }
    }

    /// The request goes out.
    mutating func begin(_ request: Request) {
        // Its answer tells the length of a body that does not come.
        isForHead = request.method == .head
    }

    mutating func receive(_ head: consuming HTTPResponse, from url: consuming RequestURL, status: Int) throws {
        // The first alone, for to join what may be several costs ten times as much.
        let length =
            isForHead
            ? nil : head.headerFields.first(where: { $0.name == .contentLength }).flatMap { Int($0.value) }
        response = Response(head: consume head, url: consume url)
        guard let length else { return }
        guard length <= limit || status == HTTPResponse.Status.notModified.code else { throw tooLarge }
        expected = length
    }

    mutating func receive(_ bytes: consuming [UInt8]) throws {
        guard let size = response?.body.count, size + bytes.count <= limit else { throw tooLarge }
        if size == 0, bytes.count >= expected {
            // All of it, most likely.
            response?.body = consume bytes
        } else {
            // No more than a little on the word of a head.
            if size == 0 { response?.body.reserveCapacity(min(expected, 1 << 20)) }
            response?.body += bytes
        }
    }

    /// The answer, when the stream has completed.
    ///
    /// - Throws: ``HTTPClientError`` with code `connectionLost` if none has begun.
    public func finish() throws -> Response {
        var copy = self
        return try copy.end()
    }

    /// The same, of which nothing is kept here.
    mutating func end() throws -> Response {
        if let response = response.take() { return response }
        throw HTTPClientError(
            .connectionLost, phase: .waiting, origin: origin.description,
            message: "the stream ended before an answer began", recoverySuggestion: .tryAgain)
    }

    private var tooLarge: HTTPClientError {
        HTTPClientError(
            .tooLarge, phase: .receiving, origin: origin.description,
            message: "the body has more than \(limit) bytes", recoverySuggestion: .raiseBodyLimit,
            response: response.map { Response(head: $0.head, url: $0.url) })
    }
}
