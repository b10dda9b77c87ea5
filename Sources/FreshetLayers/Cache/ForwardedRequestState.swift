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
    var response = Response.awaited
    var writer: (any CacheWriter)?
    /// In bytes.
    var queued = 0
    var isHeld = false
    var isPaused = false

    var mustPause: Bool { isHeld || isPaused }
    var isReplaced: Bool { if case .replaced = response { true } else { false } }

    /// Whether the request is still one for which a response of this key was looked up.
    func isOfLookup(_ key: CacheKey) -> Bool { owner.key == key.owner && !sent.isElsewhere }

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

    enum Response: Sendable {
        /// The head has not arrived, or the cache does not handle the response.
        case awaited
        /// The caller gets the response.
        case passed(superseding: CachedResponse?)
        /// The caller gets another response: the one that `afterEnd` begins, because the connection can be used again then, or one
        /// that it gets already.
        case replaced(afterEnd: @Sendable () -> Void)
    }
}
