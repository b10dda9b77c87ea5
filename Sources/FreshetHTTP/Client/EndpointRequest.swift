public import FreshetCore
import HTTPTypes

extension Endpoint {
    /// Returns the request for this call at `base`. If `base` has a path, it comes before the endpoint's path. For an empty path
    /// `base` stays as it is.
    ///
    /// Characters that a path or a query cannot hold are percent-encoded. A percent sign in `path` stays as it is, because
    /// `path` may be encoded already.
    ///
    /// A request has no decoder and no type of failures. Only ``HTTPClient/call(_:at:)`` uses those of the endpoint. Whatever else
    /// sends the request uses the ``HTTPClient/Configuration/decoder`` and ``HTTPClient/Configuration/failure`` of its client.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest`, also if `base` has a query, or if a segment of `path` is `.` or
    ///   `..`, which would lead out of `base`; the error of ``Endpoint/body``.
    public func request(at base: some URLConvertible) throws -> Request {
        let base = try base.asRequestURL()
        guard !base.pathAndQuery.utf8.contains(UInt8(ascii: "?")) else {
            throw RequestURL.refusal("the base of an endpoint has a query", "put it into the endpoint's")
        }
        // Split by bytes: a mark that combines with a slash hides it from a comparison of characters.
        guard !path.utf8.split(separator: UInt8(ascii: "/")).contains(where: { RequestURL.isDotSegment(Substring($0)) })
        else { throw RequestURL.dotSegmentRefusal }
        var target = base.absoluteString
        if !path.isEmpty {
            if target.hasSuffix("/") { target.removeLast() }
            let path = PercentEncoding.encoded(path, keeping: "-._~!$&'()*+,;=:@/%")
            target += path.hasPrefix("/") ? path : "/" + path
        }
        return Request(
            method: method, url: try RequestURL(target).appending(query: query), headers: headers, body: try body,
            timeout: timeout)
    }
}

extension HTTPClient {
    /// Calls `endpoint` at `base` and decodes the response.
    ///
    /// A status outside of 200..<300 is an error with code `status`. If the body can be decoded as the endpoint's failure, the
    /// failure is `underlying` of the error.
    public func call<Call: Endpoint>(_ endpoint: Call, at base: some URLConvertible) -> Single<Call.Response> {
        response(to: endpoint, at: base).map { try endpoint.decode($0) }
    }

    /// Calls `endpoint` at `base` and decodes the response as a type that the caller chooses.
    public func call<Call: Endpoint, Value: Decodable & Sendable>(
        _ endpoint: Call, at base: some URLConvertible, as type: Value.Type
    ) -> Single<Value> {
        response(to: endpoint, at: base).decode(type, using: endpoint.decoder)
    }

    private func response<Call: Endpoint>(to endpoint: Call, at base: some URLConvertible) -> Single<Response> {
        let response = sending { try endpoint.request(at: base) }.validate()
        guard Call.Failure.self != Never.self else { return response }
        return response.catch { error in
            .error((error as? HTTPClientError)?.explained(by: Call.Failure.self, endpoint.decoder) ?? error)
        }
    }
}

extension HTTPClientError {
    /// Returns the error with the decoded `Failure` as `underlying`, if the body of its response is one.
    func explained<Failure: Decodable & Error>(by type: Failure.Type, _ decoder: (any BodyDecoder)?) -> HTTPClientError
    {
        guard [.status, .refreshStorm, .stepUpRequired].contains(code), let response,
            let failure = try? response.decoded(type, using: decoder)
        else {
            return self
        }
        var error = self
        error.underlying = failure
        return error
    }
}
