public import FreshetCore
public import HTTPTypes

/// A method for each verb. Each sends the request when it is subscribed to, and emits the response with its whole body. An
/// invalid URL fails the stream.
extension HTTPClient {
    /// Sends a request of any method.
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

    /// Sends a GET.
    public func get(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:]
    ) -> Single<Response> {
        send(.get, url, query: query, headers: headers)
    }

    /// Sends a HEAD, whose response has no body.
    public func head(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:]
    ) -> Single<Response> {
        send(.head, url, query: query, headers: headers)
    }

    /// Sends an OPTIONS.
    public func options(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:]
    ) -> Single<Response> {
        send(.options, url, query: query, headers: headers)
    }

    /// Sends a POST.
    public func post(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:],
        body: RequestBody
    ) -> Single<Response> {
        send(.post, url, query: query, headers: headers, body: body)
    }

    /// Sends a PUT.
    public func put(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:],
        body: RequestBody
    ) -> Single<Response> {
        send(.put, url, query: query, headers: headers, body: body)
    }

    /// Sends a PATCH.
    public func patch(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:],
        body: RequestBody
    ) -> Single<Response> {
        send(.patch, url, query: query, headers: headers, body: body)
    }

    /// Sends a DELETE.
    public func delete(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:],
        body: RequestBody = .empty
    ) -> Single<Response> {
        send(.delete, url, query: query, headers: headers, body: body)
    }

    func sending(_ request: () throws -> Request) -> Single<Response> {
        do {
            return send(try request())
        } catch {
            return .error(error)
        }
    }
}
