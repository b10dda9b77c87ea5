import Foundation
public import FoundationNetworking
public import FreshetCore
public import FreshetHTTP
import HTTPTypes

extension Request {
    /// Makes a request from Foundation's `URLRequest`: method, URL, header fields, body, time limit and cache policy.
    ///
    /// - `timeoutInterval` becomes ``Request/timeout``. Foundation's default of 60 seconds can't be told from a limit that was
    ///   set, and becomes the limit of the client. An infinite limit becomes `.never`.
    /// - `cachePolicy` becomes a `Cache-Control` field by RFC 9111, section 5.2.1, unless the request has that field.
    /// - A POST with a body and no `Content-Type` gets `application/x-www-form-urlencoded`, as `URLSession` sends it.
    /// - The properties that configure a `URLSession`, such as `allowsCellularAccess`, have no effect, and neither has
    ///   `httpShouldHandleCookies`: a client without a `CookieJar` sends no cookies.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a request without an absolute http or https URL, for a
    ///   method or a field that HTTP does not allow, and for an `httpBodyStream`: reading one can block the thread. Send
    ///   `RequestBody.file` or `RequestBody.stream` instead.
    public init(_ request: URLRequest) throws {
        guard let url = request.url else { throw Self.refusal("a URLRequest has no URL", "set its url") }
        let verb = request.httpMethod ?? "GET"
        guard let method = HTTPRequest.Method(verb) else {
            throw Self.refusal("a URLRequest has a method with characters that HTTP does not allow", "correct it")
        }
        guard request.httpBodyStream == nil else {
            throw Self.refusal(
                "the body of a URLRequest is an InputStream, which can block the thread",
                "send RequestBody.file or RequestBody.stream")
        }
        try self.init(
            method, url, headers: HTTPFields(request.allHTTPHeaderFields ?? [:]),
            body: request.httpBody.map { .bytes(Array($0)) } ?? .empty)
        if method == .post, !body.isEmpty, headers[.contentType] == nil {
            headers[.contentType] = "application/x-www-form-urlencoded"
        }
        if headers[.cacheControl] == nil { headers[.cacheControl] = request.cachePolicy.directive }
        timeout = request.timeLimit
    }

    private static func refusal(
        _ message: String, _ suggestion: HTTPClientError.RecoverySuggestion
    ) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, message: message, recoverySuggestion: suggestion, isUnsent: true)
    }
}

extension HTTPClient {
    /// Emits the response with its whole body, as ``send(_:)-(Request)`` does. A request that can't be sent fails the stream.
    public func send(_ request: URLRequest) -> Single<Response> {
        do {
            return send(try Request(request))
        } catch {
            return .error(error)
        }
    }
}

extension URLRequest {
    fileprivate var timeLimit: Duration? {
        guard timeoutInterval != 60, timeoutInterval > 0 else { return nil }
        // A duration of nanoseconds is at most 146 years long.
        guard timeoutInterval < 4e9 else { return .never }
        return .seconds(timeoutInterval)
    }
}

extension URLRequest.CachePolicy {
    /// The directive of `Cache-Control` that asks a cache for the same.
    fileprivate var directive: String? {
        switch self {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData:
            "no-cache"
        case .returnCacheDataElseLoad: "max-stale"
        case .returnCacheDataDontLoad: "only-if-cached, max-stale"
        default: nil
        }
    }
}

extension HTTPFields {
    /// The fields in the order of their names, because a dictionary has none.
    fileprivate init(_ fields: [String: String]) throws {
        self.init()
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            append(contentsOf: try HTTPFields(named: [name: value]))
        }
    }
}
