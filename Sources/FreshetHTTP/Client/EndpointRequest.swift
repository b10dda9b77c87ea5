public import FreshetCore
import HTTPTypes

extension Endpoint {
    /// Returns the request for this call at `base`. If `base` has a path, it comes before the endpoint's path.
    ///
    /// Characters that a path or a query cannot hold are percent-encoded. A percent sign in `path` stays as it is, because
    /// `path` may be encoded already.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest`, also if `base` has a query.
    public func request(at base: String) throws -> Request {
        let base = try RequestURL(base)
        guard !base.pathAndQuery.utf8.contains(UInt8(ascii: "?")) else {
            throw RequestURL.refusal("the base of an endpoint has a query", "put it into the endpoint's")
        }
        var target = base.absoluteString
        if target.hasSuffix("/") { target.removeLast() }
        let path = PercentEncoding.encoded(path, keeping: "-._~!$&'()*+,;=:@/%")
        target += path.hasPrefix("/") || path.isEmpty ? path : "/" + path
        return Request(
            method: method, url: try RequestURL(target).appending(query: query), headers: headers, body: body)
    }
}

extension HTTPClient {
    /// Calls `endpoint` at `base` and decodes the response. A status outside of 200..<300 is an error.
    public func call<Call: Endpoint>(_ endpoint: Call, at base: String) -> Single<Call.Response> {
        do {
            return send(try endpoint.request(at: base)).validate().decode(Call.Response.self)
        } catch {
            return .error(error)
        }
    }
}
