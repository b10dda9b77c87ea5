public import FreshetHTTP
public import HTTPTypes

/// A response as a cache stores it, without its body.
public struct CachedResponse: Sendable, Hashable {
    /// The largest number of responses that a store keeps for one key. A field in `Vary` can have any number of values.
    static let variantLimit = 64

    /// Identifies the stored response within its store.
    public var id: String
    /// The head as it was received, without the fields that concern one connection only.
    public var head: HTTPResponse
    /// When the request was sent and when the head arrived, in seconds since 1970.
    public var requestTime: Double
    public var responseTime: Double
    /// The request's values of the fields that `Vary` names, by their names in lower case; `nil` for a missing field.
    public var selectors: [String: String?]
    /// The length of the decoded body, in bytes.
    public var bodyLength: Int

    public init(
        id: String, head: HTTPResponse, requestTime: Double, responseTime: Double, selectors: [String: String?],
        bodyLength: Int
    ) {
        self.id = id
        self.head = head
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.selectors = selectors
        self.bodyLength = bodyLength
    }

    /// Whether the head says that the body takes more than a quarter of a store. It displaces no other response then.
    func isTooLarge(forStoreOf size: Int) -> Bool {
        head.headerFields.contentLength ?? 0 > size / 4
    }

    /// The time of `Date`, or the time of receipt if the field is missing. Source: RFC 9110 section 6.6.1.
    var date: Double { head.headerFields[.date].flatMap(CacheDate.secondsSince1970) ?? responseTime }

    /// Whether the server made this response after `other`. A response that takes long can end after a newer one.
    func wasMade(after other: CachedResponse) -> Bool { (date, responseTime) > (other.date, other.responseTime) }

    /// Whether this response is to be used, and not `other`. Of two that came at once, the one with the greater identifier.
    func isNewer(than other: CachedResponse) -> Bool {
        (date, responseTime, id) > (other.date, other.responseTime, other.id)
    }
}

/// Where a response is stored: by its URL and its owner.
public struct CacheKey: Sendable, Hashable {
    /// The URL of the request.
    public let url: RequestURL
    /// Whose the response is.
    public let owner: PartitionKey

    public init(url: RequestURL, owner: PartitionKey) {
        self.url = url
        self.owner = owner
    }
}
