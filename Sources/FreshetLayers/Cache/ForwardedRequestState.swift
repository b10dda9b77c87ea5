import FreshetHTTP
import HTTPTypes

/// How far a request that a cache forwards has come.
struct ForwardedRequestState: Sendable {
    var transfer: (any Transfer)?
    var sent = Sent()
    var owner: Owner
    /// Whether the request has the validators of the stored response. Otherwise a 304 says nothing about that response.
    var isConditional = false
    /// How often the responses of the URL had been invalidated when the request began.
    var invalidations = 0
    /// The stored response, if this one shows that it is no longer valid.
    var superseded: CachedResponse?
    var hasHead = false
    /// Set if the caller does not get the response.
    var replacement: Replacement?
    var writer: (any CacheWriter)?
    /// In bytes.
    var queued = 0
    var isHeld = false
    var isPaused = false

    var mustPause: Bool { isHeld || isPaused }

    struct Sent: Sendable {
        /// `nil` before the request is sent.
        var fields: HTTPFields?
        /// In seconds since 1970.
        var at = 0.0
        /// Whether the final request has another URL.
        var isElsewhere = false
    }

    /// Whose the request is, and so the response. A key of `nil` means that the response can't be stored.
    enum Owner: Sendable {
        /// The owner for whom the cache has looked for a response, until the request is final.
        case assumed(PartitionKey?)
        case final(PartitionKey?)
        /// A layer below has sent attempts, or requests of callers, that do not all have one owner.
        case mixed

        var key: PartitionKey? {
            switch self {
            case .assumed(let key), .final(let key): key
            case .mixed: nil
            }
        }

        mutating func set(_ key: PartitionKey?) {
            switch self {
            case .assumed: self = .final(key)
            case .final(let other) where other == key: break
            case .final, .mixed: self = .mixed
            }
        }
    }

    /// What the caller gets instead of the response.
    enum Replacement: Sendable {
        /// Another response, which the caller gets already.
        case delivered
        /// What this begins after the end of the response. The connection can be used again then.
        case afterEnd(@Sendable () -> Void)
    }
}
