public import FreshetCore
public import HTTPTypes

extension HTTPFields {
    /// Makes header fields of names in text form.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a name or a value that HTTP does not allow. The error names
    ///   the field, and not its value.
    public init(named fields: KeyValuePairs<String, String>) throws {
        self.init()
        for (name, value) in fields {
            guard let fieldName = HTTPField.Name(name) else {
                throw Self.refusal("the name of a header field contains a character that is not allowed in it")
            }
            guard HTTPField.isValidValue(value) else {
                throw Self.refusal("the value of the header field \(name) contains a control character")
            }
            append(HTTPField(name: fieldName, value: value))
        }
    }

    private static func refusal(_ message: String) -> HTTPClientError {
        HTTPClientError(
            .invalidRequest, phase: .preparing, message: message, recoverySuggestion: "check it", isUnsent: true)
    }
}

/// The verbs with the names of header fields in text form, such as `headers: ["X-Api-Key": key]`. A name or a value that HTTP
/// does not allow fails the stream.
extension HTTPClient {
    /// Sends a request of any method.
    @_disfavoredOverload
    public func send(
        _ method: HTTPRequest.Method = .get, _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: KeyValuePairs<String, String>, body: RequestBody = .empty
    ) -> Single<Response> {
        sending { try Request(method, url, query: query, headers: HTTPFields(named: headers), body: body) }
    }

    /// Sends a GET.
    @_disfavoredOverload
    public func get(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: KeyValuePairs<String, String>
    ) -> Single<Response> {
        send(.get, url, query: query, headers: headers)
    }

    /// Sends a HEAD, whose response has no body.
    @_disfavoredOverload
    public func head(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: KeyValuePairs<String, String>
    ) -> Single<Response> {
        send(.head, url, query: query, headers: headers)
    }

    /// Sends an OPTIONS.
    @_disfavoredOverload
    public func options(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: KeyValuePairs<String, String>
    ) -> Single<Response> {
        send(.options, url, query: query, headers: headers)
    }

    /// Sends a POST.
    @_disfavoredOverload
    public func post(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: KeyValuePairs<String, String>,
        body: RequestBody
    ) -> Single<Response> {
        send(.post, url, query: query, headers: headers, body: body)
    }

    /// Sends a PUT.
    @_disfavoredOverload
    public func put(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: KeyValuePairs<String, String>,
        body: RequestBody
    ) -> Single<Response> {
        send(.put, url, query: query, headers: headers, body: body)
    }

    /// Sends a PATCH.
    @_disfavoredOverload
    public func patch(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: KeyValuePairs<String, String>,
        body: RequestBody
    ) -> Single<Response> {
        send(.patch, url, query: query, headers: headers, body: body)
    }

    /// Sends a DELETE.
    @_disfavoredOverload
    public func delete(
        _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:], headers: KeyValuePairs<String, String>,
        body: RequestBody = .empty
    ) -> Single<Response> {
        send(.delete, url, query: query, headers: headers, body: body)
    }
}
