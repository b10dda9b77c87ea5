public import FreshetCore
public import HTTPTypes

/// The verbs with a value as the body. The client's encoder encodes the value: as JSON, unless
/// ``HTTPClient/Configuration/encoder`` is set. A value that can't be encoded fails the stream.
extension HTTPClient {
    /// Sends a request of any method with an encoded value.
    ///
    /// - Parameters:
    ///   - method: the method of the request.
    ///   - url: an absolute http or https URL.
    ///   - query: names and values that are added to the query of `url`, percent-encoded.
    ///   - headers: the fields that the caller gives; adapters may add to them.
    ///   - json: the value that becomes the body.
    public func send(
        _ method: HTTPRequest.Method, _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: HTTPFields = [:], json: some Encodable
    ) -> Single<Response> {
        sending {
            try Request(
                method, url, query: query, headers: headers, body: .encoded(json, using: configuration.encoder))
        }
    }

    /// Sends a request of any method with an encoded value, and header fields with names in text form.
    @_disfavoredOverload
    public func send(
        _ method: HTTPRequest.Method, _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: KeyValuePairs<String, String>, json: some Encodable
    ) -> Single<Response> {
        sending {
            try Request(
                method, url, query: query, headers: HTTPFields(named: headers),
                body: .encoded(json, using: configuration.encoder))
        }
    }

    /// Sends a POST with an encoded value.
    public func post(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:],
        json: some Encodable
    ) -> Single<Response> {
        send(.post, url, query: query, headers: headers, json: json)
    }

    /// Sends a PUT with an encoded value.
    public func put(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:],
        json: some Encodable
    ) -> Single<Response> {
        send(.put, url, query: query, headers: headers, json: json)
    }

    /// Sends a PATCH with an encoded value.
    public func patch(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:],
        json: some Encodable
    ) -> Single<Response> {
        send(.patch, url, query: query, headers: headers, json: json)
    }

    /// Sends a POST with an encoded value, and header fields with names in text form.
    @_disfavoredOverload
    public func post(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: KeyValuePairs<String, String>, json: some Encodable
    ) -> Single<Response> {
        send(.post, url, query: query, headers: headers, json: json)
    }

    /// Sends a PUT with an encoded value, and header fields with names in text form.
    @_disfavoredOverload
    public func put(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: KeyValuePairs<String, String>, json: some Encodable
    ) -> Single<Response> {
        send(.put, url, query: query, headers: headers, json: json)
    }

    /// Sends a PATCH with an encoded value, and header fields with names in text form.
    @_disfavoredOverload
    public func patch(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: KeyValuePairs<String, String>, json: some Encodable
    ) -> Single<Response> {
        send(.patch, url, query: query, headers: headers, json: json)
    }
}
