public import HTTPTypes

/// One HTTP request: what to ask of which address. A value; sending it is ``HTTPClient``'s.
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
    /// The header fields, `Host`, `Content-Length` and `Transfer-Encoding` apart, which the transport writes.
    public var headers: HTTPFields {
        @inlinable get { storage.fields.headers }
        set { change { $0.headers = newValue } }
    }
    public var body: RequestBody {
        @inlinable get { storage.fields.body }
        set { change { $0.body = newValue } }
    }
    /// The time for everything: waiting for a connection, redirects, refresh, replay and retries. `nil` is the client's.
    public var timeout: Duration? {
        @inlinable get { storage.fields.timeout }
        set { change { $0.timeout = newValue } }
    }
    /// The limits and wishes for each transfer on its own. `nil` is the client's.
    public var transfer: TransferOptions? {
        @inlinable get { storage.fields.transfer }
        set { change { $0.transfer = newValue } }
    }
    /// Whether it may be put on the wire once only, for its body can't be had a second time, or whoever gets it twice would
    /// act twice. No retrier repeats it then, after a refresh neither, and a redirect that would send its body again is not
    /// followed: the caller gets the first answer, or the first failure. What was not sent at all is tried again.
    ///
    /// A body that can't be read twice (``RequestBody/isReplayable``) makes it so whatever is set here.
    public var isOneShot: Bool {
        get { storage.fields.isMarkedOneShot || !storage.fields.body.isReplayable }
        set { change { $0.isMarkedOneShot = newValue } }
    }
    /// Whether the transport can put it on the wire again as it is, where a kept connection turns out to be dead. A request
    /// that holds a proof for one sending is not resendable: the attempt fails, and another one runs through all adapters.
    /// Retriers repeat it as any other.
    public var isResendable: Bool {
        get { !storage.fields.isBoundToOneSending }
        set { change { $0.isBoundToOneSending = !newValue } }
    }
    /// What interceptors and callers note on a request; never on the wire. What an adapter notes, it finds again when
    /// the request is adapted for the next attempt or the next hop of a redirect.
    public var tags: RequestTags {
        @inlinable get { storage.fields.tags }
        set { change { $0.tags = newValue } }
    }

    // One object, for a request is handed on dozens of times and changed once or twice.
    @usableFromInline var storage: Storage

    // It never changes, so nobody who reads it has to check whether somebody else is writing.
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

    /// What is the same for two requests only if one is a copy of the other and neither has been changed since, as long as
    /// either is held.
    package var identity: ObjectIdentifier { ObjectIdentifier(storage) }

    /// The same of its address.
    package var addressIdentity: ObjectIdentifier { storage.fields.url.identity }

    public init(
        method: HTTPRequest.Method = .get, url: RequestURL, headers: HTTPFields = [:], body: RequestBody = .empty,
        timeout: Duration? = nil
    ) {
        storage = Storage(Fields(method: method, url: url, headers: headers, body: body, timeout: timeout))
    }

    /// A request to an address that is written out.
    ///
    /// - Parameters:
    ///   - method: the request's.
    ///   - url: an absolute http or https URL.
    ///   - query: names and values that are added to the query of `url`, percent-encoded.
    ///   - headers: the fields that the caller gives; adapters may add to them.
    ///   - body: what is sent.
    /// - Throws: ``HTTPClientError`` with code `invalidRequest` if `url` is no absolute http or https URL.
    public init(
        _ method: HTTPRequest.Method = .get, _ url: String, query: KeyValuePairs<String, String> = [:],
        headers: HTTPFields = [:], body: RequestBody = .empty
    ) throws {
        self.init(method: method, url: try RequestURL(url).appending(query: query), headers: headers, body: body)
    }
}

extension Request {
    /// The same with its body's content type among the headers, if none is there: adapters see it, and may sign it.
    var sayingItsContentType: Request {
        guard let type = body.contentType, !headers.contains(.contentType) else { return self }
        var request = self
        request.headers[.contentType] = type
        return request
    }
}

/// A note of one type on a request.
public protocol RequestTag: Sendable {}

/// The notes on a request, one a type.
public struct RequestTags: Sendable {
    // Objects, for requests are copied a lot, and a value of any type by asking its type how.
    // Unchecked, as it can be inherited from: it never changes.
    @usableFromInline
    package class Entry: @unchecked Sendable {
        @usableFromInline final let type: ObjectIdentifier

        @inlinable
        init(_ type: ObjectIdentifier) {
            self.type = type
        }
    }

    @usableFromInline
    package final class EntryOf<Tag: RequestTag>: Entry, @unchecked Sendable {
        @usableFromInline package let tag: Tag

        @inlinable
        init(_ tag: Tag) {
            self.tag = tag
            super.init(ObjectIdentifier(Tag.self))
        }
    }

    // A request has one or two, and each attempt writes one: comparing them is less than hashing.
    @usableFromInline var entries: [Entry] = []

    @inlinable package var isEmpty: Bool { entries.isEmpty }

    public init() {}

    /// What holds the tag: to look at it without a copy.
    @inlinable
    package func entry<Tag: RequestTag>(_ type: Tag.Type) -> EntryOf<Tag>? {
        for entry in entries where entry.type == ObjectIdentifier(type) {
            // It is of that very type: a cast would ask the runtime about it.
            return unsafeDowncast(entry, to: EntryOf<Tag>.self)
        }
        return nil
    }

    @inlinable
    public subscript<Tag: RequestTag>(_ type: Tag.Type) -> Tag? {
        get { entry(type)?.tag }
        set {
            if !entries.isEmpty { entries.removeAll { $0.type == ObjectIdentifier(type) } }
            if let newValue { entries.append(EntryOf(newValue)) }
        }
    }
}
