public import HTTPTypes

/// One HTTP request as a value. An ``HTTPClient`` sends it.
public struct Request: Sendable {
    public var method: HTTPRequest.Method {
        @inlinable get { storage.fields.method }
        set { change { $0.method = newValue } }
    }
    /// The absolute address, http or https.
    public var url: RequestURL {
        @inlinable get { storage.fields.url }
        set { change { $0.url = newValue } }
    }
    /// The header fields except `Host`, `Content-Length` and `Transfer-Encoding`, which the transport writes.
    public var headers: HTTPFields {
        @inlinable get { storage.fields.headers }
        set { change { $0.headers = newValue } }
    }
    public var body: RequestBody {
        @inlinable get { storage.fields.body }
        set { change { $0.body = newValue } }
    }
    /// The time limit for everything: waiting for a connection, redirects, refresh, replay and retries. `nil` is the client's
    /// limit. A request whose limit is zero or less fails with `timeout`, and nothing is sent.
    public var timeout: Duration? {
        @inlinable get { storage.fields.timeout }
        set { change { $0.timeout = newValue } }
    }
    /// The limits and options for each transfer on its own. `nil` is the client's options.
    public var transfer: TransferOptions? {
        @inlinable get { storage.fields.transfer }
        set { change { $0.transfer = newValue } }
    }
    /// Whether the request may be sent only once, because its body can't be read again, or because a repetition would act
    /// twice.
    ///
    /// No retrier repeats such a request, not even after a refresh, and the client does not follow a redirect that would send
    /// its body again: the caller gets the first response, or the first failure. An attempt of which nothing was sent is
    /// retried.
    ///
    /// A body that can't be read twice (``RequestBody/isReplayable``) makes this `true`, whatever the caller sets.
    public var isOneShot: Bool {
        get { storage.fields.isMarkedOneShot || !storage.fields.body.isReplayable }
        set { change { $0.isMarkedOneShot = newValue } }
    }
    /// Whether the transport can send the request again as it is, when a kept connection turns out to be dead.
    ///
    /// A request that holds a proof for one sending is not resendable: the attempt fails, and the client makes another attempt in
    /// place of the transport, which runs through all adapters. Retriers repeat it like any other request.
    public var isResendable: Bool {
        get { !storage.fields.isBoundToOneSending }
        set { change { $0.isBoundToOneSending = !newValue } }
    }
    /// Values that interceptors and callers attach to a request; they are never sent. An adapter that sets a tag finds it again
    /// when the request is adapted for the next attempt or the next hop of a redirect.
    public var tags: RequestTags {
        @inlinable get { storage.fields.tags }
        set { change { $0.tags = newValue } }
    }

    // One object, because a request is passed on dozens of times and changed once or twice.
    @usableFromInline var storage: Storage

    // It never changes, so a reader does not have to check whether another thread writes.
    @usableFromInline
    final class Storage: Sendable {
        @usableFromInline let fields: Fields

        init(_ fields: Fields) {
            self.fields = fields
        }
    }

    @usableFromInline
    struct Fields: Sendable {
        @usableFromInline var method: HTTPRequest.Method
        @usableFromInline var url: RequestURL
        @usableFromInline var headers: HTTPFields
        @usableFromInline var body: RequestBody
        @usableFromInline var timeout: Duration?
        @usableFromInline var transfer: TransferOptions?
        @usableFromInline var isMarkedOneShot = false
        @usableFromInline var isBoundToOneSending = false
        @usableFromInline var tags = RequestTags()
    }

    private mutating func change(_ change: (inout Fields) -> Void) {
        var fields = storage.fields
        change(&fields)
        storage = Storage(fields)
    }

    /// Equal for two requests only if one is a copy of the other and neither has been changed since. It is valid as long as
    /// either request exists.
    package var identity: ObjectIdentifier { ObjectIdentifier(storage) }

    /// The identity of the request's address; see ``RequestURL/identity``.
    package var addressIdentity: ObjectIdentifier { storage.fields.url.identity }

    public init(
        method: HTTPRequest.Method = .get, url: RequestURL, headers: HTTPFields = [:], body: RequestBody = .empty,
        timeout: Duration? = nil
    ) {
        storage = Storage(Fields(method: method, url: url, headers: headers, body: body, timeout: timeout))
    }

    /// Makes a request to a URL in text form, or in that of Foundation.
    ///
    /// - Parameters:
    ///   - method: the method of the request.
    ///   - url: an absolute http or https URL.
    ///   - query: names and values that are added to the query of `url`, percent-encoded.
    ///   - headers: the fields that the caller gives; adapters may add to them.
    ///   - body: the body of the request.
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` if `url` is not an absolute http or https URL.
    public init(
        _ method: HTTPRequest.Method = .get, _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: HTTPFields = [:], body: RequestBody = .empty
    ) throws {
        self.init(method: method, url: try url.asRequestURL().appending(query: query), headers: headers, body: body)
    }

    /// Makes a request with names of header fields in text form, such as `headers: ["X-Api-Key": key]`.
    ///
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` for a URL, a name or a value that HTTP does not allow.
    @_disfavoredOverload
    public init(
        _ method: HTTPRequest.Method = .get, _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
        headers: KeyValuePairs<String, String>, body: RequestBody = .empty
    ) throws {
        try self.init(method, url, query: query, headers: HTTPFields(named: headers), body: body)
    }
}

extension Request {
    /// The request with its body's content type in the headers, if they name none. Adapters see the type and can sign it.
    ///
    /// A multipart type in the headers gets the boundary of the body if it has none, because no server can read the body without
    /// it.
    var withContentTypeField: Request {
        guard let type = body.contentType else { return self }
        var request = self
        if let given = headers[.contentType] {
            let name = given.lowercased()
            guard name.hasPrefix("multipart/"), !name.contains("boundary="), type.hasPrefix("multipart/"),
                let parameter = type.firstIndex(of: ";")
            else { return self }
            request.headers[.contentType] = given + type[parameter...]
        } else {
            request.headers[.contentType] = type
        }
        return request
    }
}
