public import FreshetCore
public import HTTPTypes

/// A function for each verb. A request is sent when its stream is subscribed to, and the stream emits the response with its whole
/// body. A URL, a header field or a value that can't be sent fails the stream.
extension HTTPClient {
    /// Sends a GET, as in `get(url, query: ["page": "2"])`.
    public var get: Verb { Verb(self, .get) }
    /// Sends a HEAD, whose response has no body.
    public var head: Verb { Verb(self, .head) }
    /// Sends an OPTIONS.
    public var options: Verb { Verb(self, .options) }
    /// Sends a POST, as in `post(url, json: order)`.
    public var post: Verb { Verb(self, .post) }
    /// Sends a PUT.
    public var put: Verb { Verb(self, .put) }
    /// Sends a PATCH.
    public var patch: Verb { Verb(self, .patch) }
    /// Sends a DELETE.
    public var delete: Verb { Verb(self, .delete) }

    /// Sends requests of one method. It is called as a function: `client.post(url, json: order)`.
    public struct Verb: Sendable {
        let client: HTTPClient
        let method: HTTPRequest.Method

        init(_ client: HTTPClient, _ method: HTTPRequest.Method) {
            self.client = client
            self.method = method
        }

        /// Sends a request to `url`, with the names and values of `query` added to its query, percent-encoded.
        public func callAsFunction(
            _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:],
            body: RequestBody = .empty
        ) -> Single<Response> {
            client.send(method, url, query: query, headers: headers, body: body)
        }

        /// Sends a request with names of header fields in text form.
        @_disfavoredOverload
        public func callAsFunction(
            _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
            headers: KeyValuePairs<String, String>, body: RequestBody = .empty
        ) -> Single<Response> {
            client.send(method, url, query: query, headers: headers, body: body)
        }

        /// Sends a value that the client's encoder writes.
        public func callAsFunction(
            _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:],
            json: some Encodable
        ) -> Single<Response> {
            client.send(method, url, query: query, headers: headers, json: json)
        }

        /// Sends a value that the client's encoder writes, with names of header fields in text form.
        @_disfavoredOverload
        public func callAsFunction(
            _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
            headers: KeyValuePairs<String, String>, json: some Encodable
        ) -> Single<Response> {
            client.send(method, url, query: query, headers: headers, json: json)
        }
    }
}

/// Requests of any method, which the verbs are short for.
extension HTTPClient {
    /// Sends a request.
    ///
    /// - Parameters:
    ///   - method: the method of the request.
    ///   - url: an absolute http or https URL.
    ///   - query: names and values that are added to the query of `url`, percent-encoded.
    ///   - headers: the fields that the caller gives; adapters may add to them.
    ///   - body: the body of the request.
    public func send(
        _ method: HTTPRequest.Method = .get, _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: HTTPFields = [:], body: RequestBody = .empty
    ) -> Single<Response> {
        sending { try Request(method, url, query: query, headers: headers, body: body) }
    }

    /// Sends a request with names of header fields in text form, such as `headers: ["X-Api-Key": key]`.
    @_disfavoredOverload
    public func send(
        _ method: HTTPRequest.Method = .get, _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: KeyValuePairs<String, String>, body: RequestBody = .empty
    ) -> Single<Response> {
        sending { try Request(method, url, query: query, headers: headers, body: body) }
    }

    /// Sends a value that the client's encoder writes: as JSON, unless ``Configuration/encoder`` is another.
    public func send(
        _ method: HTTPRequest.Method, _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: HTTPFields = [:], json: some Encodable
    ) -> Single<Response> {
        sending { try Request(method, url, query: query, headers: headers, body: encoded(json)) }
    }

    /// Sends a value that the client's encoder writes, with names of header fields in text form.
    @_disfavoredOverload
    public func send(
        _ method: HTTPRequest.Method, _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: KeyValuePairs<String, String>, json: some Encodable
    ) -> Single<Response> {
        sending { try Request(method, url, query: query, headers: headers, body: encoded(json)) }
    }

    private func encoded(_ value: some Encodable) throws -> RequestBody {
        try .encoded(value, using: configuration.encoder)
    }

    func sending(_ request: () throws -> Request) -> Single<Response> {
        do {
            return send(try request())
        } catch {
            return .error(error)
        }
    }
}
